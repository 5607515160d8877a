import { Kysely, type QueryExecutorProvider, sql } from 'kysely'
import type pg from 'pg'
import { type Available, poolDialect } from './connections/driver.ts'
import type { PointRead } from './connections/registry.ts'
import type { DatabaseObserver } from './observer.ts'
import type { Topics } from './topics.ts'

/** Statements are SQL: the query builder of Kysely knows no table. */
export type Tables = Record<never, never>

/** A handle that reads: the pool, or a transaction. */
export type Db = Kysely<Tables>

/**
 * Runs short reads pipelined over a few connections of its own. Requests that arrive together share one system call and
 * one switch to the backend, and never wait for a writer to release a connection.
 */
export interface Reader extends AsyncDisposable {
  /**
   * The rows of the result, which several callers may share: nobody may change them. Retried within the budget when the
   * connection is lost; undefined when all connections are stalled: the caller then uses the pool.
   */
  read(query: PointRead): Promise<readonly unknown[] | undefined>
}

/** The collaborators of a handle over a pool. */
export interface Parts {
  /** Runs its registered reads. */
  readonly reader?: Reader
  /** Called before each transaction: throws when writes are not possible now. */
  readonly checkDiskSpace?: () => void
  /** Waits for an unavailable database. */
  readonly available?: Available
  readonly observer?: DatabaseObserver
  /** Receives the topics of committed transactions. */
  readonly topics?: Topics
}

const parts = new WeakMap<Db, Parts>()

/** The typed handle over a pool. */
export function createDb(pool: pg.Pool, collaborators: Parts = {}): Db {
  const db: Db = new Kysely<Tables>({ dialect: poolDialect({ pool, ...collaborators }) })
  registerParts(db, collaborators)
  return db
}

export function registerParts(db: Db, collaborators: Parts): void {
  parts.set(db, collaborators)
}

/** The collaborators of this handle; undefined for a transaction, which needs none. */
export function findParts(db: Db): Parts | undefined {
  return parts.get(db)
}

/** Runs a statement, the template behind it, and returns its rows: queryRows<Row>(db)`select …`. */
export function queryRows<Row>(db: QueryExecutorProvider) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> =>
    (await sql<Row>(text, ...values).execute(db)).rows
}

/** The same for the first row of the result, if there is one. */
export function queryRow<Row>(db: QueryExecutorProvider) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<Row | undefined> =>
    (await sql<Row>(text, ...values).execute(db)).rows[0]
}

/** Whether the result has any row. */
export function hasRows(db: QueryExecutorProvider) {
  return async (text: TemplateStringsArray, ...values: unknown[]): Promise<boolean> =>
    (await sql(text, ...values).execute(db)).rows.length > 0
}
