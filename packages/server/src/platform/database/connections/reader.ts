import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { classifyFailure } from '../availability/failure.ts'
import type { Reader } from '../database.ts'
import { type DatabaseObserver, UNOBSERVED } from '../observer.ts'
import { toParameters } from '../values.ts'
import type { Available } from './driver.ts'
import type { PoolSettings } from './pool.ts'
import type { PointRead } from './registry.ts'
import { awayDeadline, currentRequest, READ_OPTIONS } from './request-scope.ts'
import type { DatabaseServer } from './server.ts'

export interface ReaderSettings extends PoolSettings {
  /** Whether the server is ours alone, so that no pooler can carry a session setting over to another client. */
  readonly ownServer: boolean
  readonly available: Available
  readonly observer?: DatabaseObserver
}

type Rows = readonly unknown[]

/** Those who wait for one execution of a statement, and share its rows. */
type Callers = Set<{ resolve(rows: Rows | undefined): void; reject(error: Error): void }>

interface KeyedRead extends PointRead {
  readonly key: string
}

/** One pipelined connection. */
interface Connection {
  client: Promise<pg.Client> | undefined
  /** The client, once it is connected. */
  open: pg.Client | undefined
  /** The executions that have not ended, in the order of sending. Callers that gave up after a stall are gone. */
  readonly inFlight: Callers[]
  /**
   * Those of them that are not sent yet, by key. They get a new Map each time: the tables of one that is cleared again
   * and again are linked, so that V8 takes everything in them for alive until a major collection.
   */
  unsent: Map<string, Callers>
  /** The time of its last response, or of sending the first statement in flight (`performance.now()`). */
  lastProgress: number
  /** Runs while statements are in flight. */
  stallTimer: NodeJS.Timeout | undefined
  corked: boolean
}

/** How pg writes a value; missing in its types. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils

/** A connection without progress for longer blocks the rest of its pipeline, for example as it waits for a lock. */
const STALLED_MS = 500

/** A reader over `size` connections. They are opened when first needed. */
export function createReader(settings: ReaderSettings): Reader {
  const connections: Connection[] = Array.from({ length: settings.size }, unopened)

  /** Undefined when all connections are stalled, or this one stalls meanwhile: the pool runs the read then. */
  async function read(input: PointRead): Promise<Rows | undefined> {
    const query = { ...input, values: toParameters(input.values) }
    const until = awayDeadline()
    const began = performance.now()
    const key = toKey(query)
    for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
      await settings.available(until)
      const connection = connectionFor(key, connections)
      if (!connection) return undefined
      try {
        const rows = await run(connection, { ...query, key }, settings)
        if (rows) currentRequest()?.answered()
        else currentRequest()?.waited(began)
        return rows
      } catch (error) {
        if (classifyFailure(error) !== 'away' || performance.now() + wait > until) throw error
      }
      await sleep(wait)
    }
  }

  return {
    read,
    async [Symbol.asyncDispose]() {
      for (const { stallTimer } of connections) clearTimeout(stallTimer)
      await Promise.all(connections.map(({ client }) => client?.then((client) => client.end()).catch(() => {})))
    },
  }
}

function unopened(): Connection {
  return {
    client: undefined,
    open: undefined,
    inFlight: [],
    unsent: new Map(),
    lastProgress: 0,
    stallTimer: undefined,
    corked: false,
  }
}

/** The same for executions that have the same rows: of one statement with the same values. */
function toKey({ name, values }: PointRead): string {
  return JSON.stringify([name, values.map(prepareValue)])
}

/** The one that will execute the statement anyway, or the least busy one. Undefined: all are stalled. */
function connectionFor(key: string, connections: readonly Connection[]): Connection | undefined {
  return connections.find(({ unsent }) => unsent.has(key)) ?? leastBusy(connections)
}

function leastBusy(connections: readonly Connection[]): Connection | undefined {
  const stalledSince = performance.now() - STALLED_MS
  let leastBusyConnection: Connection | undefined
  for (const connection of connections) {
    if (connection.inFlight.length > 0 && connection.lastProgress < stalledSince) continue
    if (!leastBusyConnection || connection.inFlight.length < leastBusyConnection.inFlight.length)
      leastBusyConnection = connection
  }
  return leastBusyConnection
}

/**
 * The rows, or undefined once the connection has made no progress for `STALLED_MS`; the statement continues then.
 * Request collapsing: a statement that is not sent yet serves everyone who asks for the same meanwhile. It finds
 * everything that was committed before they asked, like one of their own.
 */
function run(connection: Connection, query: KeyedRead, settings: ReaderSettings): Promise<Rows | undefined> {
  return new Promise((resolve, reject) => {
    const unsentCallers = connection.unsent.get(query.key)
    if (unsentCallers) unsentCallers.add({ resolve, reject })
    else execute(connection, query, { callers: new Set([{ resolve, reject }]), settings })
  })
}

/** Sends the statement at the end of this turn of the event loop. */
function execute(
  connection: Connection,
  { key, name, text, values }: KeyedRead,
  { callers, settings }: { readonly callers: Callers; readonly settings: ReaderSettings },
): void {
  const { observer = UNOBSERVED, prepared } = settings
  const began = performance.now()
  if (connection.inFlight.length === 0) connection.lastProgress = began
  connection.inFlight.push(callers)
  connection.unsent.set(key, callers)
  watchForStall(connection)
  const done = (error: Error | null, result?: pg.QueryResult) => {
    connection.lastProgress = performance.now()
    const index = connection.inFlight.indexOf(callers)
    if (index !== -1) connection.inFlight.splice(index, 1)
    if (connection.unsent.get(key) === callers) connection.unsent.delete(key)
    observer.executed(name, connection.lastProgress - began)
    for (const { resolve, reject } of callers) {
      if (error) reject(error)
      else resolve(result?.rows)
    }
  }
  const send = (client: pg.Client) => {
    cork(connection, client)
    client.query({ ...(prepared && { name }), text, values: values as unknown[] }, done)
  }
  if (connection.open) send(connection.open)
  else (connection.client ?? openConnection(connection, settings)).then(send).catch(done)
}

/** Lets the callers give up when the connection has stalled: one timer for all of them. */
function watchForStall(connection: Connection): void {
  if (connection.stallTimer) return
  const rest = connection.lastProgress + STALLED_MS - performance.now()
  connection.stallTimer = setTimeout(() => {
    connection.stallTimer = undefined
    if (connection.inFlight.length === 0) return
    if (connection.lastProgress + STALLED_MS > performance.now()) return watchForStall(connection)
    connection.unsent = new Map()
    for (const callers of connection.inFlight) {
      for (const { resolve } of callers) resolve(undefined)
      callers.clear()
    }
  }, rest)
}

function openConnection(connection: Connection, settings: ReaderSettings): Promise<pg.Client> {
  const client = newClient(settings)
  const openedClient = client.connect().then(() => {
    if (connection.client === openedClient) connection.open = client
    return client
  })
  connection.client = openedClient
  // When it has ended, another client may have replaced it.
  const removeClient = () => {
    if (connection.client !== openedClient) return
    connection.client = undefined
    connection.open = undefined
  }
  client.on('error', settings.onError)
  client.on('end', removeClient)
  openedClient.catch(removeClient)
  return openedClient
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
    connection.unsent = new Map()
    stream.uncork()
  })
}
