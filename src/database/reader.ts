import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { PointRead, Reader } from './database.ts'
import { RECONNECT_BUDGET_MS } from './driver.ts'
import { failureOf } from './failure.ts'
import { type DatabaseObserver, timed, UNOBSERVED } from './observer.ts'
import { clientSettings, type PoolSettings } from './pool.ts'

export interface ReaderSettings extends PoolSettings {
  /** Whether the server is ours alone, so that a setting of a session cannot reach another one through a pooler. */
  readonly ownServer: boolean
  readonly observer?: DatabaseObserver
}

/** A connection that is there, or on its way, and how many answers it owes. */
interface Lane {
  client: Promise<pg.Client> | undefined
  owed: number
  corked: boolean
}

/** A reader over `size` connections. They are opened when first needed. */
export function createReader(settings: ReaderSettings): Reader {
  const { observer = UNOBSERVED } = settings
  const lanes: Lane[] = Array.from({ length: settings.size }, () => ({
    client: undefined,
    owed: 0,
    corked: false,
  }))

  async function read({ name, text, values }: PointRead): Promise<unknown[]> {
    const until = Date.now() + RECONNECT_BUDGET_MS
    for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
      const lane = lanes.reduce((least, lane) => (lane.owed < least.owed ? lane : least))
      lane.owed++
      try {
        const client = await (lane.client ?? openLane(lane, settings))
        cork(lane, client)
        const query = { ...(settings.prepared && { name }), text, values: values as unknown[] }
        return await timed(
          (ms) => observer.executed(name, ms),
          () => ask(client, query),
        )
      } catch (error) {
        if (failureOf(error) !== 'lost' || Date.now() + wait > until) throw error
      } finally {
        lane.owed--
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

function openLane(lane: Lane, settings: ReaderSettings): Promise<pg.Client> {
  const client = new pg.Client({
    ...clientSettings(settings),
    pipeline: true,
    // These statements find rows by their keys, whatever the values are: to plan them each time is most of their cost.
    ...(settings.ownServer && { options: '-c plan_cache_mode=force_generic_plan' }),
  })
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
