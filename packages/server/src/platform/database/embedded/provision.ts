import { Client } from 'pg'
import { SUPERUSER } from './initialise.ts'
import { PORT } from './socket.ts'

/** The role and the database of the service. The role is an ordinary one, as on any PostgreSQL. */
export const PRODUCT = 'recto'

export type QueryResult =
  | { readonly ready: true }
  | { readonly ready: false; readonly message: string; readonly code: string | undefined }

/**
 * Runs a real query; with the first response of a new cluster, creates the role and the database. `reopens` ends what
 * an interrupted move of the database has left: that it takes no writes.
 */
export async function askServer(socketFolder: string, password: string, reopens: boolean): Promise<QueryResult> {
  const client = new Client({
    host: socketFolder,
    port: PORT,
    user: SUPERUSER,
    password,
    // Not the service's database, which may have to be renamed; no client connects before it is.
    database: 'template1',
    application_name: 'recto supervisor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
    // Over a socket, whatever PGSSLMODE is set to.
    ssl: false,
  })
  // A server that ends emits an error twice; without a listener that would end this process.
  client.on('error', () => {})
  try {
    await client.connect()
    await provision(client, password, reopens)
    return { ready: true }
  } catch (error) {
    const { message, code } = error as { readonly message: string; readonly code?: string }
    return { ready: false, message, code }
  } finally {
    await client.end().catch(() => {})
  }
}

/** The database that initdb creates is renamed: faster than creating another. All of it is one transaction. */
async function provision(client: Client, password: string, reopens: boolean): Promise<void> {
  const databases = await client.query(
    `select exists (select from pg_db_role_setting where setdatabase = pg_database.oid and setrole = 0
       and 'default_transaction_read_only=on' = any (setconfig)) as closed
     from pg_database where datname = $1`,
    [PRODUCT],
  )
  const [database] = databases.rows
  if (database?.closed && reopens) await client.query(`alter database ${PRODUCT} reset default_transaction_read_only`)
  if (database) return
  await client.query(`
    create role ${PRODUCT} login password ${client.escapeLiteral(password)};
    alter database postgres rename to ${PRODUCT};
    alter database ${PRODUCT} owner to ${PRODUCT}`)
}
