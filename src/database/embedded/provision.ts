import { Client } from 'pg'
import { SUPERUSER } from './initialise.ts'
import { PORT } from './socket.ts'

/** The product's own role and database. The role is an ordinary one, as on any PostgreSQL it is pointed to. */
export const PRODUCT = 'recto'

export type QueryResult =
  | { readonly ready: true }
  | { readonly ready: false; readonly message: string; readonly code: string | undefined }

/** Asks a real question; at the first answer of a new cluster, makes the product's role and database. */
export async function askServer(socketFolder: string, password: string): Promise<QueryResult> {
  const client = new Client({
    host: socketFolder,
    port: PORT,
    user: SUPERUSER,
    password,
    // Not the product's database, which may have to be renamed; and nobody is let in before it is.
    database: 'template1',
    application_name: 'recto supervisor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
    // Over a socket, whatever PGSSLMODE says.
    ssl: false,
  })
  // A server that ends under a connection says so twice; without a listener that would end this process.
  client.on('error', () => {})
  try {
    await client.connect()
    await provision(client, password)
    return { ready: true }
  } catch (error) {
    const { message, code } = error as { readonly message: string; readonly code?: string }
    return { ready: false, message, code }
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * The database that initdb makes is renamed: that is whole or not at all, and much faster than making another.
 * All of it is one transaction.
 */
async function provision(client: Client, password: string): Promise<void> {
  const found = await client.query('select from pg_database where datname = $1', [PRODUCT])
  if (found.rowCount === 1) return
  await client.query(`
    create role ${PRODUCT} login password ${client.escapeLiteral(password)};
    alter database postgres rename to ${PRODUCT};
    alter database ${PRODUCT} owner to ${PRODUCT}`)
}
