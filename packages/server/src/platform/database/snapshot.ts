import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Runs reads that see one moment of the database: what one of them decides is true of what the others read. */
export function inSnapshot<T>(db: Db, body: (snapshot: Db) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (snapshot) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(snapshot)
    return body(snapshot)
  })
}
