import { Kysely } from 'kysely'
import type pg from 'pg'
import { type Available, poolDialect } from './driver.ts'
import type { DatabaseObserver } from './observer.ts'
import type { Tables } from './tables.ts'

export type { Tables }

/** A handle that reads: the pool, or a transaction. */
export type Db = Kysely<Tables>

/** One registered statement with its values. */
export interface PointRead {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Answers short reads over a few connections of its own. Requests do not take turns on a connection: what comes
 * in together is sent together, and answered in order. So a read costs a part of a system call and of a switch to the
 * backend, and never waits for a writer to give a connection back.
 */
export interface Reader extends AsyncDisposable {
  /**
   * The rows of the answer. Asked again within the budget when the connection is lost; nothing where these connections
   * are held up, and the read has to go another way.
   */
  read(query: PointRead): Promise<unknown[] | undefined>
}

/** What a handle over a pool has beside it. */
export interface Parts {
  /** Answers its registered reads. */
  readonly reader?: Reader
  /** Called before each transaction: throws where nothing may be written now. */
  readonly checkDiskSpace?: () => void
  /** Waits for a database that is away. */
  readonly available?: Available
  readonly observer?: DatabaseObserver
}

const parts = new WeakMap<Db, Parts>()

/** The typed handle over a pool. */
export function createDb(pool: pg.Pool, beside: Parts = {}): Db {
  const db: Db = new Kysely<Tables>({ dialect: poolDialect({ pool, ...beside }) })
  registerParts(db, beside)
  return db
}

export function registerParts(db: Db, beside: Parts): void {
  parts.set(db, beside)
}

/** What was given for this handle; nothing for a transaction, which reads for itself and was admitted. */
export function partsOf(db: Db): Parts | undefined {
  return parts.get(db)
}
