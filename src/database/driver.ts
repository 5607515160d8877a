import { setTimeout as sleep } from 'node:timers/promises'
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
import { failureOf } from './failure.ts'
import { type Flown, fly } from './flight.ts'
import { type DatabaseObserver, labelOf, timed, UNOBSERVED } from './observer.ts'
import { preparedName } from './pool.ts'
import { isRead, registerStatement, statementName } from './registry.ts'

/** How long one request keeps trying to reach a database that went away. */
export const RECONNECT_BUDGET_MS = 10_000

/**
 * Kysely's dialect over a pool, for a database that may go away: connecting is retried within the budget, and so is a
 * read outside a transaction whose connection was lost. Clients with a lost connection leave the pool.
 */
export function poolDialect(pool: pg.Pool, observer: DatabaseObserver = UNOBSERVED): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver(pool, observer),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class PoolDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #observer: DatabaseObserver

  constructor(pool: pg.Pool, observer: DatabaseObserver) {
    this.#pool = pool
    this.#observer = observer
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    const client = await timed(this.#observer.waited, () =>
      connect(this.#pool, Date.now() + RECONNECT_BUDGET_MS),
    )
    return new PoolConnection(this.#pool, client, this.#observer)
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
    await this.#pool.end()
  }
}

type Query = Pick<CompiledQuery, 'sql' | 'parameters'>
type Take = (rows: readonly unknown[]) => void

for (const word of ['begin', 'commit', 'rollback']) registerStatement(word, word)

const takers = new WeakMap<Query, Take>()

/** The statement as one that a transaction sends with its next one or with its commit, where `take` is given its rows. */
export function sendLater<Row>(
  query: CompiledQuery,
  take: (rows: readonly Row[]) => void,
): CompiledQuery<Row> {
  takers.set(query, take as Take) // the rows that the statement says
  return query as CompiledQuery<Row>
}

/** Within a transaction statements leave in flights: `begin` with the first, what may wait with whatever does not. */
class PoolConnection implements DatabaseConnection {
  readonly #pool: pg.Pool
  readonly #observer: DatabaseObserver
  #client: pg.PoolClient
  #broken = false
  #inTransaction = false
  /** Whether the server has heard of the transaction. */
  #begun = false
  #waiting: Query[] = []

  constructor(pool: pg.Pool, client: pg.PoolClient, observer: DatabaseObserver) {
    this.#pool = pool
    this.#client = client
    this.#observer = observer
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#inTransaction) {
      this.#waiting.push(query)
      return takers.has(query) ? { rows: [] } : toResult<R>(await this.#fly())
    }
    const until = Date.now() + RECONNECT_BUDGET_MS
    for (;;) {
      try {
        const result = toResult<R>(
          await this.#heeding(query.sql, () => this.#client.query(query.sql, [...query.parameters])),
        )
        takers.get(query)?.(result.rows)
        return result
      } catch (error) {
        if (!this.#broken || !isRead(query.sql) || Date.now() > until) throw error
        this.release()
        this.#client = await connect(this.#pool, until)
        this.#broken = false
      }
    }
  }

  begin(): void {
    this.#inTransaction = true
    this.#begun = false
    this.#waiting = [{ sql: 'begin', parameters: [] }]
  }

  async commit(): Promise<void> {
    if (this.#begun || this.#waiting.length > 1) {
      this.#waiting.push({ sql: 'commit', parameters: [] })
      const { command } = await this.#fly()
      // What a transaction is told in which a statement had failed.
      if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`)
    }
    this.#inTransaction = false
  }

  async rollback(): Promise<void> {
    this.#waiting = [{ sql: 'rollback', parameters: [] }]
    if (this.#begun && !this.#broken) await this.#fly()
    this.#inTransaction = false
  }

  release(): void {
    this.#client.release(this.#broken)
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; Recto reads long results by keyset instead
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows by key')
  }

  /** Sends all that waits, and answers with the result of the last. */
  async #fly(): Promise<pg.QueryResult> {
    const queries = this.#waiting
    this.#waiting = []
    this.#begun = true
    const results = await this.#heeding(queries.at(-1)?.sql ?? '', () =>
      fly(
        this.#client,
        queries.map(({ sql, parameters }) => this.#flown(sql, parameters)),
      ),
    )
    for (const [index, query] of queries.entries()) takers.get(query)?.(results[index]?.rows ?? [])
    const last = results.at(-1)
    if (!last || results.length !== queries.length) throw new Error('a flight was not answered in full')
    return last
  }

  #flown(text: string, values: readonly unknown[]): Flown {
    return { text, values, name: preparedName(this.#client, text) }
  }

  async #heeding<T>(text: string, send: () => Promise<T>): Promise<T> {
    try {
      return await timed((ms) => this.#observer.executed(labelOf(text, statementName(text)), ms), send)
    } catch (error) {
      if (failureOf(error) === 'lost') this.#broken = true
      throw error
    }
  }
}

function toResult<R>(result: pg.QueryResult): QueryResult<R> {
  return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
}

async function connect(pool: pg.Pool, until: number): Promise<pg.PoolClient> {
  for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
    try {
      return await pool.connect()
    } catch (error) {
      if (failureOf(error) !== 'lost' || Date.now() + wait > until) throw error
      await sleep(wait)
    }
  }
}
