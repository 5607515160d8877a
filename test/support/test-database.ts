import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { SUPERUSER } from '../../packages/server/src/platform/database/embedded/initialise.ts'
import type { ConnectionSettings } from '../../packages/server/src/platform/database/embedded/server.ts'
import { dataFolder } from './embedded.ts'

/** The environment variable with the connection settings of the run's server, as JSON; see global-setup.ts. */
export const TEST_SERVER = 'RECTO_TEST_SERVER'
/** The database with the newest schema and no content, from which test databases are copied. */
export const TEMPLATE = 'recto_template'

export interface TestDatabase extends AsyncDisposable {
  readonly connection: ConnectionSettings
  /** The same as a connection URL, for `SVC_DATABASE_URL`. */
  readonly url: string
}

/**
 * An empty database with the newest schema on the run's shared server, or on a server of its own where there is none.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const shared = sharedServer()
  return shared === undefined ? databaseOfItsOwn() : copyOfTemplate(shared, TEMPLATE)
}

/** A database without a schema, on the same server. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const shared = sharedServer()
  return shared === undefined ? databaseOfItsOwn() : copyOfTemplate(shared, 'template0')
}

/** The server that the run shares; absent where a file is run alone. */
export function sharedServer(): ConnectionSettings | undefined {
  const settings = process.env[TEST_SERVER]
  return settings === undefined ? undefined : JSON.parse(settings)
}

async function copyOfTemplate(server: ConnectionSettings, template: string): Promise<TestDatabase> {
  const database = `test_${randomBytes(8).toString('hex')}`
  // Copying the files takes a third of the processor time of writing each page to the log.
  await execute(server, `create database ${database} template ${template} strategy file_copy`)
  const connection = { ...server, database }
  return {
    connection,
    url: urlOf(connection),
    // As the superuser: an autovacuum worker may be in the database.
    [Symbol.asyncDispose]: () => execute({ ...server, user: SUPERUSER }, `drop database ${database} with (force)`),
  }
}

async function databaseOfItsOwn(): Promise<TestDatabase> {
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(dataFolder())
  const { connection } = starting.use(await folder.start())
  const running = starting.move()
  return { connection, url: urlOf(connection), [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function execute(server: ConnectionSettings, sql: string): Promise<void> {
  const client = new Client({ ...server, ssl: false })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export function urlOf({ user, password, host, port, database }: ConnectionSettings): string {
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
