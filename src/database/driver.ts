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

/** How long one request keeps trying to reach a database that went away. */
export const RECONNECT_BUDGET_MS = 10_000

/**
 * Kysely's dialect over a pool, for a database that may go away: connecting is retried within the budget, and so is a
 * read outside a transaction whose connection was lost. Clients with a lost connection leave the pool.
 */
export function poolDialect(pool: pg.Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class PoolDriver implements Driver {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(this.#pool, await connect(this.#pool, Date.now() + RECONNECT_BUDGET_MS))
  }

  async beginTransaction(connection: PoolConnection): Promise<void> {
    await connection.begin()
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    await connection.end('commit')
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    await connection.end('rollback')
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {
    await this.#pool.end()
  }
}

class PoolConnection implements DatabaseConnection {
  readonly #pool: pg.Pool
  #client: pg.PoolClient
  #broken = false
  #inTransaction = false

  constructor(pool: pg.Pool, client: pg.PoolClient) {
    this.#pool = pool
    this.#client = client
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const until = Date.now() + RECONNECT_BUDGET_MS
    for (;;) {
      try {
        return await this.#query<R>(query)
      } catch (error) {
        if (!this.#broken || this.#inTransaction || !isRead(query.sql) || Date.now() > until) throw error
        this.release()
        this.#client = await connect(this.#pool, until)
        this.#broken = false
      }
    }
  }

  async begin(): Promise<void> {
    this.#inTransaction = true
    await this.#query({ sql: 'begin', parameters: [] })
  }

  async end(word: 'commit' | 'rollback'): Promise<void> {
    if (!this.#broken) await this.#query({ sql: word, parameters: [] })
    this.#inTransaction = false
  }

  release(): void {
    this.#client.release(this.#broken)
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; Recto reads long results by keyset instead
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page through the rows by key')
  }

  async #query<R>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<R>> {
    try {
      const result = await this.#client.query(query.sql, query.parameters as unknown[])
      return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) }
    } catch (error) {
      if (failureOf(error) === 'lost') this.#broken = true
      throw error
    }
  }
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

/** A `with` may hide a write, so it counts as a read only where no writing word stands in it. */
export function isRead(sql: string): boolean {
  return /^\s*(select|with)\b/i.test(sql) && !/\b(insert into|update|delete from|nextval)\b/i.test(sql)
}
