import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { PointRead, Reader } from './database.ts'
import type { Available } from './driver.ts'
import { failureOf } from './failure.ts'
import { READ_OPTIONS } from './limits.ts'
import { type DatabaseObserver, timed, UNOBSERVED } from './observer.ts'
import type { PoolSettings } from './pool.ts'
import { awayDeadline, currentRequest } from './request-scope.ts'
import type { DatabaseServer } from './server.ts'

export interface ReaderSettings extends PoolSettings {
  /** Whether the server is ours alone, so that a setting of a session cannot reach another one through a pooler. */
  readonly ownServer: boolean
  readonly available: Available
  readonly observer?: DatabaseObserver
}

/** A connection that is there, or on its way, and how many answers it owes. */
interface Lane {
  client: Promise<pg.Client> | undefined
  owed: number
  /** When it last answered, or was asked the first of what it owes. */
  moved: number
  corked: boolean
}

/** A lane that owes its next answer for longer holds up what is behind it: a lock that somebody else has, say. */
const STALLED_MS = 500

/** A reader over `size` connections. They are opened when first needed. */
export function createReader(settings: ReaderSettings): Reader {
  const { observer = UNOBSERVED } = settings
  const lanes: Lane[] = Array.from({ length: settings.size }, () => ({
    client: undefined,
    owed: 0,
    moved: 0,
    corked: false,
  }))

  /** Nothing where every lane is stalled, or this one came to be: a connection of one's own answers then. */
  async function read({ name, text, values }: PointRead): Promise<unknown[] | undefined> {
    const until = awayDeadline()
    for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
      await settings.available(until)
      const lane = freeLane(lanes)
      if (!lane) return undefined
      if (lane.owed++ === 0) lane.moved = performance.now()
      try {
        const answer = (lane.client ?? openLane(lane, settings)).then((client) => {
          cork(lane, client)
          const query = { ...(settings.prepared && { name }), text, values: values as unknown[] }
          return timed(
            (ms) => observer.executed(name, ms),
            () => ask(client, query),
          )
        })
        const rows = await orStalled(lane, answer)
        if (rows) currentRequest()?.answered()
        return rows
      } catch (error) {
        if (failureOf(error) !== 'away' || performance.now() + wait > until) throw error
      }
      await sleep(wait)
    }
  }

  return {
    read,
    async [Symbol.asyncDispose]() {
      await Promise.all(lanes.map(({ client }) => client?.then((client) => client.end()).catch(() => {})))
    },
  }
}

function freeLane(lanes: readonly Lane[]): Lane | undefined {
  const late = performance.now() - STALLED_MS
  let least: Lane | undefined
  for (const lane of lanes) {
    if (lane.owed > 0 && lane.moved < late) continue
    if (!least || lane.owed < least.owed) least = lane
  }
  return least
}

/** The answer, or nothing once the lane has not moved for a while: then the answer is late for all behind it, too. */
async function orStalled(lane: Lane, answer: Promise<unknown[]>): Promise<unknown[] | undefined> {
  const settled = answer.finally(() => {
    lane.owed--
    lane.moved = performance.now()
  })
  const { promise: stalled, resolve } = Promise.withResolvers<undefined>()
  const look = () => {
    const rest = lane.moved + STALLED_MS - performance.now()
    if (rest <= 0) resolve(undefined)
    else timer = setTimeout(look, rest)
  }
  let timer = setTimeout(look, STALLED_MS)
  try {
    return await Promise.race([settled, stalled])
  } finally {
    clearTimeout(timer)
    settled.catch(() => {}) // where it was not waited for
  }
}

function openLane(lane: Lane, settings: ReaderSettings): Promise<pg.Client> {
  const client = newClient(settings)
  const opened = client.connect().then(() => client)
  lane.client = opened
  // Only its own place: by the time that it has ended, another one may have taken it.
  const leave = () => {
    if (lane.client === opened) lane.client = undefined
  }
  client.on('error', settings.onError)
  client.on('end', leave)
  opened.catch(leave)
  return opened
}

function newClient({ server, ownServer }: { server: DatabaseServer; ownServer: boolean }): pg.Client {
  // These statements find rows by their keys, whatever the values are: to plan them each time is most of their cost.
  const planning = ownServer ? ['plan_cache_mode=force_generic_plan'] : []
  const client = new pg.Client({ ...server.settings([...READ_OPTIONS, ...planning]), pipeline: true })
  server.track(client)
  return client
}
/** Holds what is written until the requests that came in together are all read: it leaves in one piece. */
function cork(lane: Lane, client: pg.Client): void {
  if (lane.corked) return
  const { stream } = client.connection
  lane.corked = true
  stream.cork()
  setImmediate(() => {
    lane.corked = false
    stream.uncork()
  })
}

function ask(client: pg.Client, query: pg.QueryConfig): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    client.query(query, (error: Error | null, result: pg.QueryResult) => {
      if (error) reject(error)
      else resolve(result.rows)
    })
  })
}
