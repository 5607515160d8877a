import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { failureOf } from '../availability/failure.ts'
import type { PointRead, Reader } from '../database.ts'
import { READ_OPTIONS } from '../limits.ts'
import { type DatabaseObserver, UNOBSERVED } from '../observer.ts'
import type { Available } from './driver.ts'
import type { PoolSettings } from './pool.ts'
import { PreparedRead } from './prepared-read.ts'
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
  /** The client, once it is connected. */
  open: pg.Client | undefined
  /** The number of statements in flight. */
  inFlight: number
  /** The callers of those, unless they have given up after a stall. */
  readonly waiting: Set<(rows: undefined) => void>
  /** The time of its last response, or of sending the first statement in flight (`performance.now()`). */
  lastProgress: number
  /** Runs while statements are in flight. */
  stallTimer: NodeJS.Timeout | undefined
  corked: boolean
}

/** A connection without progress for longer blocks the rest of its pipeline, for example behind a lock. */
const STALLED_MS = 500

/** A reader over `size` connections. They are opened when first needed. */
export function createReader(settings: ReaderSettings): Reader {
  const connections: Connection[] = Array.from({ length: settings.size }, unopened)

  /** Undefined when all connections are stalled, or this one stalls meanwhile: the pool runs the read then. */
  async function read(query: PointRead): Promise<unknown[] | undefined> {
    const until = awayDeadline()
    const began = performance.now()
    for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
      await settings.available(until)
      const connection = leastBusy(connections)
      if (!connection) return undefined
      try {
        const rows = await run(connection, query, settings)
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
      for (const { stallTimer } of connections) clearTimeout(stallTimer)
      await Promise.all(
        connections.map(({ client }) => client?.then((client) => client.end()).catch(() => {})),
      )
    },
  }
}

function unopened(): Connection {
  return {
    client: undefined,
    open: undefined,
    inFlight: 0,
    waiting: new Set(),
    lastProgress: 0,
    stallTimer: undefined,
    corked: false,
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

/** The rows, or undefined once the connection has made no progress for `STALLED_MS`; the statement continues then. */
function run(
  connection: Connection,
  query: PointRead,
  settings: ReaderSettings,
): Promise<unknown[] | undefined> {
  const { observer = UNOBSERVED, prepared } = settings
  const began = performance.now()
  return new Promise((resolve, reject) => {
    if (connection.inFlight++ === 0) connection.lastProgress = began
    connection.waiting.add(resolve)
    watchForStall(connection)
    const done = (error: Error | null, result?: pg.QueryResult) => {
      connection.lastProgress = performance.now()
      connection.inFlight--
      connection.waiting.delete(resolve)
      observer.executed(query.name, connection.lastProgress - began)
      if (error) reject(error)
      else resolve(result?.rows)
    }
    const send = (client: pg.Client) => {
      cork(connection, client)
      const { name, text, values } = query
      if (prepared) client.query(new PreparedRead({ name, text, values }, done))
      else client.query({ text, values: values as unknown[] }, done)
    }
    if (connection.open) send(connection.open)
    else (connection.client ?? openConnection(connection, settings)).then(send).catch(done)
  })
}

/** Lets the callers give up when the connection has stalled: one timer for all of them. */
function watchForStall(connection: Connection): void {
  if (connection.stallTimer) return
  const rest = connection.lastProgress + STALLED_MS - performance.now()
  connection.stallTimer = setTimeout(() => {
    connection.stallTimer = undefined
    if (connection.waiting.size === 0) return
    if (connection.lastProgress + STALLED_MS > performance.now()) return watchForStall(connection)
    for (const giveUp of connection.waiting) giveUp(undefined)
    connection.waiting.clear()
  }, rest)
}

function openConnection(connection: Connection, settings: ReaderSettings): Promise<pg.Client> {
  const client = newClient(settings)
  const opened = client.connect().then(() => {
    if (connection.client === opened) connection.open = client
    return client
  })
  connection.client = opened
  // When it has ended, another client may have replaced it.
  const removeClient = () => {
    if (connection.client !== opened) return
    connection.client = undefined
    connection.open = undefined
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
