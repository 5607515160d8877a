import { openLoad, times } from './load.ts'

/** What one reader was told, from where it joined until it left. */
export interface Reading {
  readonly how: string
  /** The event behind which it joined; undefined: at the beginning of the test. */
  readonly after: string | undefined
  readonly ids: readonly string[]
}

export interface FeedReaders {
  /** Lets those who read come to the end, and returns what all were told. */
  finish(): Promise<readonly Reading[]>
}

interface Service {
  readonly base: string
  readonly key: string | undefined
}

/** A place in the feed, as some reader was told it. */
interface Place {
  readonly cursor: string
  readonly after: string | undefined
}

const MAX_PLACES = 1_000
/** So many events at most, then a reader leaves and another one joins. */
const MAX_STAY = 400

/**
 * Readers who come and go: by polling, by waiting, and by streams, on any node, from any place that anyone was told.
 */
export function startFeedReaders(services: readonly Service[], start: string, count: number): FeedReaders {
  const readings: Reading[] = []
  const places: Place[] = [{ cursor: start, after: undefined }]
  let finishing = false
  const end = new AbortController()

  /** Joins at one of the latest places or, now and then, at any that is still known. */
  function join(): Place {
    const from = Math.random() < 0.8 ? Math.max(0, places.length - 20) : 0
    return places[from + Math.floor(Math.random() * (places.length - from))] ?? { cursor: start, after: undefined }
  }

  function note(place: Place): void {
    places.push(place)
    if (places.length > MAX_PLACES) places.splice(1, 100)
  }

  async function poll(service: Service, place: Place, wait: number): Promise<Reading> {
    using load = openLoad(service.base, service.key, 1)
    const ids: string[] = []
    let { cursor } = place
    const stay = Math.random() * MAX_STAY
    const limit = 1 + Math.floor(Math.random() * 50)
    for (let more = true; more && ids.length < stay; ) {
      const last = finishing
      const path = `/changes?since=${cursor}&limit=${limit}&wait=${last ? 0 : wait}`
      const { status, body } = await load.send('GET', path)
      if (status !== 200) throw new Error(`the feed answered ${status}: ${body}`)
      const told = JSON.parse(body.toString())
      for (const { id } of told.items) ids.push(id)
      cursor = told.nextCursor
      note({ cursor, after: ids.at(-1) ?? place.after })
      more = told.hasMore || !last
    }
    return { how: wait > 0 ? 'waiting' : 'polling', after: place.after, ids }
  }

  /** A stream does not tell that it is at its end: it is left where it is when everything comes to an end. */
  async function stream(service: Service, place: Place): Promise<Reading> {
    const ids: string[] = []
    await follow(service, place, ids).catch((error) => {
      if (!end.signal.aborted) throw error
    })
    return { how: 'streaming', after: place.after, ids }
  }

  async function follow(service: Service, place: Place, ids: string[]): Promise<void> {
    const leave = new AbortController()
    const response = await fetch(`${service.base}/changes`, {
      signal: AbortSignal.any([leave.signal, end.signal]),
      headers: { authorization: `Bearer ${service.key}`, accept: 'text/event-stream', 'last-event-id': place.cursor },
    })
    if (response.status !== 200 || !response.body) throw new Error(`the stream answered ${response.status}`)
    const stay = Math.random() * MAX_STAY
    let rest = ''
    for await (const chunk of response.body) {
      const pieces = (rest + Buffer.from(chunk).toString()).split('\n\n')
      rest = pieces.pop() ?? ''
      for (const piece of pieces) {
        const [, cursor, data] = /^id: (.*)\nevent: .*\ndata: (.*)$/.exec(piece) ?? []
        if (cursor === undefined || data === undefined) continue
        ids.push(JSON.parse(data).id)
        note({ cursor, after: ids.at(-1) })
      }
      if (ids.length >= stay) break
    }
    leave.abort()
  }

  async function seat(number: number): Promise<void> {
    for (let turn = number; ; turn++) {
      const service = services[turn % services.length]
      if (!service) throw new Error('there is no service to read from')
      const wasFinishing = finishing
      const streams = turn % 3 === 0 && !finishing
      const read = streams ? stream(service, join()) : poll(service, join(), turn % 3 === 1 ? 1 : 0)
      readings.push(await read)
      if (wasFinishing) return
    }
  }

  const reading = Promise.all(times(count, seat))
  // Told by `finish`, which comes later.
  reading.catch(() => {})
  return {
    async finish() {
      finishing = true
      end.abort()
      await reading
      return readings
    },
  }
}
