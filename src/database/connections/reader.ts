import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { failureOf } from '../availability/failure.ts'
import type { PointRead, Reader } from '../database.ts'
import { READ_OPTIONS } from '../limits.ts'
import { type DatabaseObserver, timed, UNOBSERVED } from '../observer.ts'
import type { Available } from './driver.ts'
import type { PoolSettings } from './pool.ts'
import { awayDeadline, currentRequest } from './request-scope.ts'
import type { DatabaseServer } from './server.ts'

export interface ReaderSettings extends PoolSettings {
  /** Whether the server is ours alone, so that no pooler can carry a session setting over to another client. */
  readonly ownServer: boolean
  readonly available: Available
  readonly observer?: DatabaseObserver
}

/** One pipelined connection. */
interface Connection {
  client: Promise<pg.Client> | undefined
  /** The number of statements in flight. */
  inFlight: number
  /** The time of its last response, or of sending the first statement in flight (`performance.now()`). */
  lastProgress: number
  corked: boolean
}

/** A connection without progress for longer blocks the rest of its pipeline, for example behind a lock. */
const STALLED_MS = 500

/** A reader over `size` connections. They are opened when first needed. */
export function createReader(settings: ReaderSettings): Reader {
  const connections: Connection[] = Array.from({ length: settings.size }, () => ({
    client: undefined,
    inFlight: 0,
    lastProgress: 0,
    corked: false,
  }))

  /** Undefined when all connections are stalled, or this one stalls meanwhile: the pool runs the read then. */
  async function read(query: PointRead): Promise<unknown[] | undefined> {
    const until = awayDeadline()
    const began = performance.now()
    for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
      await settings.available(until)
      const connection = leastBusy(connections)
      if (!connection) return undefined
      try {
        const rows = await orUndefinedWhenStalled(connection, enqueue(connection, query, settings))
        if (rows) currentRequest()?.answered()
        else currentRequest()?.waited(began)
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
      await Promise.all(
        connections.map(({ client }) => client?.then((client) => client.end()).catch(() => {})),
      )
    },
  }
}

function leastBusy(connections: readonly Connection[]): Connection | undefined {
  const stalledSince = performance.now() - STALLED_MS
  let found: Connection | undefined
  for (const connection of connections) {
    if (connection.inFlight > 0 && connection.lastProgress < stalledSince) continue
    if (!found || connection.inFlight < found.inFlight) found = connection
  }
  return found
}

function enqueue(
  connection: Connection,
  { name, text, values }: PointRead,
  settings: ReaderSettings,
): Promise<unknown[]> {
  const { observer = UNOBSERVED, prepared } = settings
  if (connection.inFlight++ === 0) connection.lastProgress = performance.now()
  return (connection.client ?? openConnection(connection, settings)).then((client) => {
    cork(connection, client)
    const query = { ...(prepared && { name }), text, values: values as unknown[] }
    return timed(
      (ms) => observer.executed(name, ms),
      () => send(client, query),
    )
  })
}

/** The result, or undefined once the connection has made no progress for `STALLED_MS`. */
async function orUndefinedWhenStalled(
  connection: Connection,
  answer: Promise<unknown[]>,
): Promise<unknown[] | undefined> {
  const settled = answer.finally(() => {
    connection.inFlight--
    connection.lastProgress = performance.now()
  })
  const { promise: stalled, resolve } = Promise.withResolvers<undefined>()
  const check = () => {
    const rest = connection.lastProgress + STALLED_MS - performance.now()
    if (rest <= 0) resolve(undefined)
    else timer = setTimeout(check, rest)
  }
  let timer = setTimeout(check, STALLED_MS)
  try {
    return await Promise.race([settled, stalled])
  } finally {
    clearTimeout(timer)
    settled.catch(() => {}) // nobody awaits it after a stall
  }
}

function openConnection(connection: Connection, settings: ReaderSettings): Promise<pg.Client> {
  const client = newClient(settings)
  const opened = client.connect().then(() => client)
  connection.client = opened
  // When it has ended, another client may have replaced it.
  const removeClient = () => {
    if (connection.client === opened) connection.client = undefined
  }
  client.on('error', settings.onError)
  client.on('end', removeClient)
  opened.catch(removeClient)
  return opened
}

function newClient({ server, ownServer }: { server: DatabaseServer; ownServer: boolean }): pg.Client {
  // Reads by key have the same plan for all values, and planning is most of their cost.
  const planning = ownServer ? ['plan_cache_mode=force_generic_plan'] : []
  const client = new pg.Client({ ...server.settings([...READ_OPTIONS, ...planning]), pipeline: true })
  server.track(client)
  return client
}
/** Corks the socket until all requests that arrived together are read: their statements leave in one system call. */
function cork(connection: Connection, client: pg.Client): void {
  if (connection.corked) return
  const { stream } = client.connection
  connection.corked = true
  stream.cork()
  setImmediate(() => {
    connection.corked = false
    stream.uncork()
  })
}

function send(client: pg.Client, query: pg.QueryConfig): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    client.query(query, (error: Error | null, result: pg.QueryResult) => {
      if (error) reject(error)
      else resolve(result.rows)
    })
  })
}
