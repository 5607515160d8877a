import pg from 'pg'
import type { DatabaseServer } from '../connections/server.ts'
import { StartError } from '../embedded/start-error.ts'

const TRIES = 3
/** The name exists already in the session, or does not exist there: it is that of another client. */
const FOREIGN_SESSION: ReadonlySet<unknown> = new Set(['42P05', '26000'])

/**
 * Rejects a pooler that gives the session of one client to another between two transactions, and does not know their
 * prepared statements: PgBouncer before 1.21, or without `max_prepared_statements`.
 */
export async function requirePreparedStatements(server: DatabaseServer): Promise<void> {
  const clients = [new pg.Client(server.settings()), new pg.Client(server.settings())]
  for (const client of clients) client.on('error', () => {}) // reported by the next query
  try {
    for (const client of clients) await client.connect()
    for (let tries = 0; tries < TRIES; tries++) {
      for (const client of clients) await client.query({ name: 'recto_probe', text: 'select 1' })
    }
  } catch (error) {
    // A database that is away for the moment is waited for with the first statement.
    if (!(error instanceof pg.DatabaseError) || !FOREIGN_SESSION.has(error.code)) return
    throw new StartError(
      'The pooler in front of the database does not support prepared statements: ' +
        'set SVC_DATABASE_PREPARED=0, or use PgBouncer 1.21 or later with max_prepared_statements.',
      { cause: error },
    )
  } finally {
    for (const client of clients) client.connection.stream.destroy()
  }
}
