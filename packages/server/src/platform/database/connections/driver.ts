import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, retryLater } from '@recto/contract/errors.ts'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { classifyFailure } from '../availability/failure.ts'
import { type DatabaseObserver, timed, toLabel, UNOBSERVED } from '../observer.ts'
import { toParameters } from '../values.ts'
import { cancellable } from './cancellable.ts'
import { copyOut, isCopy } from './copy-out.ts'
import { type PipelinedStatement, sendPipelined } from './pipeline.ts'
import { preparedName } from './pool.ts'
import { isRead, registerStatement, statementName } from './registry.ts'
import { awayDeadline, currentRequest, transactionSettings, writeLimit } from './request-scope.ts'

/** Resolves once the database is not known to be unavailable; rejects if it still is at the deadline. */
export type Available = (until: number) => Promise<void>

/**
 * Kysely's dialect over a pool, for a database that may be unavailable: connecting is retried within the budget, and
 * so is a read outside a transaction whose connection was lost. Clients with a lost connection leave the pool.
 */
export function poolDialect({ pool, available = async () => {}, observer = UNOBSERVED }: PoolParts): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver({ pool, available, observer }),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

export interface PoolParts {
  readonly pool: pg.Pool
  readonly available?: Available
  readonly observer?: DatabaseObserver
}

type Source = Required<PoolParts>

class PoolDriver implements Driver {
  readonly #source: Source

  constructor(source: Source) {
    this.#source = source
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    const since = performance.now()
    const client = await timed(this.#source.observer.waited, () => connect(this.#source, awayDeadline()))
    return new PoolConnection(this.#source, client, since)
  }

  async beginTransaction(connection: PoolConnection): Promise<void> {
    connection.begin()
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    await connection.commit()
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    await connection.rollback()
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {
    await this.#source.pool.end()
  }
}

type Query = Pick<CompiledQuery, 'sql' | 'parameters'>
/** A statement that a transaction pipelines with its next one or with its commit. */
interface DeferredQuery extends Query {
  readonly onRows: (rows: readonly unknown[]) => void
}

for (const word of ['begin', 'commit', 'rollback']) registerStatement(word, word, 'write')

/** Defers a statement: a transaction pipelines it with its next one or with its commit. `onRows` receives its rows. */
export function deferred<Row>(query: CompiledQuery, onRows: (rows: readonly Row[]) => void): CompiledQuery<Row> {
  return { ...query, onRows } as CompiledQuery<Row> // the statement declares its rows
}

function isDeferred(query: Query): query is DeferredQuery {
  return 'onRows' in query
}

/** Within a transaction statements are pipelined: `begin` goes with the first, deferred ones with the next awaited. */
class PoolConnection implements DatabaseConnection {
  readonly #source: Source
  #client: pg.PoolClient
  /** When the wait for the connection began (`performance.now()`). */
  #since: number
  #broken = false
  #released = false
  #inTransaction = false
  /** Whether `begin` was sent. */
  #begun = false
  #queued: Query[] = []
  /** How many of the queued statements are settings of the transaction itself. */
  #settings = 0

  constructor(source: Source, client: pg.PoolClient, since: number) {
    this.#source = source
    this.#client = client
    this.#since = since
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#inTransaction) {
      this.#queued.push(query)
      return isDeferred(query) ? { rows: [] } : toResult<R>(await this.#sendPipeline())
    }
    const until = awayDeadline()
    const reads = isRead(query.sql) || isCopy(query.sql)
    for (;;) {
      try {
        const result = toResult<R>(
          await this.#markingLostConnection(query.sql, () => {
            const answer = this.#send(query)
            return reads ? this.#reading(answer) : this.#writing(answer)
          }),
        )
        if (isDeferred(query)) query.onRows(result.rows)
        return result
      } catch (error) {
        if (!this.#broken || !reads || classifyFailure(error) !== 'away' || performance.now() > until) throw error
        this.release()
        this.#since = performance.now()
        this.#client = await connect(this.#source, until)
        this.#broken = false
        this.#released = false
      }
    }
  }

  #send(query: CompiledQuery): Promise<Pick<pg.QueryResult, 'rows' | 'rowCount'>> {
    if (!isCopy(query.sql)) return sendQuery(this.#client, query.sql, toParameters(query.parameters))
    return copyOut(this.#client, query.sql).then((rows) => ({ rows, rowCount: rows.length }))
  }

  begin(): void {
    this.#inTransaction = true
    this.#begun = false
    const settings = transactionSettings(awayDeadline() - performance.now())
    this.#queued = ['begin', ...settings].map((sql) => ({ sql, parameters: [] }))
    this.#settings = settings.length
  }

  async commit(): Promise<void> {
    if (this.#begun || this.#queued.length > 1 + this.#settings) {
      this.#queued.push({ sql: 'commit', parameters: [] })
      const { command } = await this.#sendPipeline()
      // PostgreSQL answers COMMIT with ROLLBACK when a statement has failed.
      if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`)
      if (unreplicatedClients.delete(this.#client)) throw notReplicated()
    }
    this.#inTransaction = false
  }

  async rollback(): Promise<void> {
    this.#queued = [{ sql: 'rollback', parameters: [] }]
    if (this.#begun && !this.#broken) await this.#sendPipeline()
    this.#inTransaction = false
  }

  release(): void {
    // Released already if no other connection could be opened for a lost one.
    if (this.#released) return
    this.#released = true
    this.#client.release(this.#broken)
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; Recto reads long results by keyset instead
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows by key')
  }

  /** Sends all queued statements as one batch; the result is that of the last. */
  async #sendPipeline(): Promise<pg.QueryResult> {
    const queries = this.#queued
    this.#queued = []
    this.#begun = true
    const results = await this.#markingLostConnection(queries.at(-1)?.sql ?? '', () =>
      this.#writing(
        sendPipelined(
          this.#client,
          queries.map(({ sql, parameters }) => this.#toPipelined(sql, parameters)),
        ),
      ),
    )
    for (const [index, query] of queries.entries()) {
      if (isDeferred(query)) query.onRows(results[index]?.rows ?? [])
    }
    const last = results.at(-1)
    if (!last || results.length !== queries.length) throw new Error('a pipelined batch was not answered completely')
    return last
  }

  #toPipelined(text: string, values: readonly unknown[]): PipelinedStatement {
    return { text, values: toParameters(values), name: preparedName(this.#client, text) }
  }

  async #markingLostConnection<T>(text: string, send: () => Promise<T>): Promise<T> {
    const { observer } = this.#source
    try {
      const result = await timed((ms) => observer.executed(toLabel(text, statementName(text)), ms), send)
      currentRequest()?.answered()
      return result
    } catch (error) {
      if (classifyFailure(error) === 'away') this.#broken = true
      throw error
    }
  }

  #reading<T>(answer: Promise<T>): Promise<T> {
    return cancellable({
      client: this.#client,
      answer,
      waitedMs: Math.max(performance.now() - this.#since, currentRequest()?.waitedMs ?? 0),
      onCancel: () => {
        this.#broken = true
      },
    })
  }

  /** A write is never cancelled: the server enforces the time limit; if it does not answer, the connection closes. */
  async #writing<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), writeLimit())
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Clients whose commit stopped waiting for the standbys. */
const unreplicatedClients = new WeakSet<pg.ClientBase>()

/**
 * Sends a statement with a callback of our own. What pg's promise holds, the rows among it, is only freed by a major
 * collection: pg assigns a function literal to a property, and V8 allocates such functions in the old generation.
 */
function sendQuery(client: pg.ClientBase, text: string, values: unknown[]): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(text, values, (error, result) => (error ? reject(error) : resolve(result)))
  })
}

/** The commit exists on this server only, and is lost in a failover. */
function notReplicated(): AppError {
  const detail =
    'The write was made, but no standby confirmed it: it may be lost should the primary fail. ' +
    'Read before you write again.'
  return retryLater('database_unavailable', detail, 2)
}

export function toResult<R>(result: Pick<pg.QueryResult, 'rows' | 'rowCount'>): QueryResult<R> {
  return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
}

async function connect(source: Source, until: number): Promise<pg.PoolClient> {
  const began = performance.now()
  for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
    try {
      await source.available(until)
      const client = await checkOut(source.pool, until)
      currentRequest()?.waited(began)
      return client
    } catch (error) {
      if (classifyFailure(error) !== 'away' || performance.now() + wait > until) throw error
      await sleep(wait)
    }
  }
}

/** A client of the pool; rejects at the deadline, and then releases a client that comes late. */
export async function checkOut(pool: pg.Pool, until: number): Promise<pg.PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
  let timedOut = false
  const giveUp = () => {
    timedOut = true
    reject(new Error('timeout exceeded when trying to connect'))
  }
  const timer = setTimeout(giveUp, Math.max(until - performance.now(), LEAST_WAIT_MS))
  const removeListener = currentRequest()?.onLeave(giveUp)
  pool.connect().then((client) => (timedOut ? client.release() : resolve(client)), reject)
  try {
    const client = await promise
    if (!listening.has(client)) listenForNotices(client)
    return client
  } finally {
    clearTimeout(timer)
    removeListener?.()
  }
}

/** A request that waited long in another queue still gets a free connection. */
const LEAST_WAIT_MS = 100

const listening = new WeakSet<pg.ClientBase>()

function listenForNotices(client: pg.PoolClient): void {
  listening.add(client)
  client.on('notice', ({ message = '' }) => {
    if (/^canceling (the )?wait for synchronous replication/.test(message)) unreplicatedClients.add(client)
  })
}
