/**
 * Global setup of a test run (`node --test-global-setup`): starts one PostgreSQL for all test files, with a template
 * database that has the newest schema, and the processes that run services. Test processes find both through
 * environment variables; a file that is run alone starts its own. Services run the bundle of the present sources, which
 * loads in a third of the processor time; with `RECTO_BUILT=0` they run the sources.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { builtFolder } from '../../bin/built-program.js'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { SUPERUSER } from '../../packages/server/src/platform/database/embedded/initialise.ts'
import { type EmbeddedServer, startEmbedded } from '../../packages/server/src/platform/database/embedded/server.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { startHosts } from './service-hosts.ts'
import { TEMPLATE, TEST_SERVER } from './test-database.ts'

const MAX_CONNECTIONS = 400
/**
 * Nothing here outlives the run. Databases are small, and many are made and removed: vacuuming them would take a tenth
 * of the time.
 */
const OVERRIDES = { fsync: 'off', full_page_writes: 'off', shared_buffers: '128MB', autovacuum: 'off' }
const log = { info: () => {}, warn: () => {}, error: () => {} }

let folder: string | undefined
let server: EmbeddedServer | undefined
let hosts: AsyncDisposable | undefined

export async function globalSetup(): Promise<void> {
  if (process.env.RECTO_BUILT !== '0') {
    execFileSync(process.execPath, [join(import.meta.dirname, '../../tools/build-server.ts')], { stdio: 'inherit' })
    process.env.RECTO_BUILT = builtFolder()
  }
  folder = mkdtempSync(join(tmpdir(), 'recto-tests-'))
  server = await startEmbedded({ dataDir: folder, maxConnections: MAX_CONNECTIONS, overrides: OVERRIDES, log })
  const { connection } = server
  await createTemplate(connection)
  process.env[TEST_SERVER] = JSON.stringify(connection)
  hosts = await startHosts(folder)
}

export async function globalTeardown(): Promise<void> {
  await hosts?.[Symbol.asyncDispose]()
  await server?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function createTemplate(connection: EmbeddedServer['connection']): Promise<void> {
  const superuser = new Client({ ...connection, user: SUPERUSER, ssl: false })
  await superuser.connect()
  await superuser.query(`alter role ${connection.user} createdb`)
  // This server does not crash: no commit waits for the disk.
  await superuser.query(`alter role ${connection.user} set synchronous_commit = off`)
  // Services open thousands of connections in a run, and each would derive a key from the password, as would the server.
  await superuser.query('set scram_iterations = 1')
  await superuser.query(`alter role ${connection.user} password '${connection.password}'`)
  await superuser.query(`create database ${TEMPLATE} owner ${connection.user}`)
  await superuser.end()
  const pool = createPool({
    server: new DatabaseServer({ ...connection, database: TEMPLATE }),
    size: 2,
    prepared: false,
    onError: () => {},
  })
  await migrate(pool)
  await pool.end()
}
