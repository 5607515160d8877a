import { Kysely } from 'kysely'
import type pg from 'pg'
import { poolDialect } from './driver.ts'
import type { Tables } from './tables.ts'

export type { Tables }

/** A handle that reads: the pool, or a transaction. */
export type Db = Kysely<Tables>

/** The typed handle over a pool. */
export function createDb(pool: pg.Pool): Db {
  return new Kysely<Tables>({ dialect: poolDialect(pool) })
}

/** Whether the database answers a query now. */
export async function answers(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query('select 1')
    return true
  } catch {
    return false
  }
}
