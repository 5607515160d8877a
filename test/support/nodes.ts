import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { createApp, type Internals } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { ConnectionSettings } from '../../src/database/embedded/server.ts'
import { Client } from './client.ts'
import { createTestDatabase } from './test-database.ts'

export interface Nodes extends AsyncDisposable {
  /** Every route, such as `GET /me`. */
  readonly routes: readonly string[]
  /** The path of the link that the first start printed. */
  readonly setupPath: string
  /** Speaks as the first admin, to each node. */
  readonly admins: readonly [Client, Client]
  /** Speaks to a node with a key, or with none. */
  as(node: 0 | 1, key: string | undefined): Client
  /** Where the database is, for a pool of the test's own. */
  readonly connection: ConnectionSettings
  /** Runs SQL beside the service. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>
}

/** Two nodes over one database, which a test may look into and change. */
export async function startNodes(
  env: Readonly<Record<string, string>> = {},
  internals: Internals = {},
): Promise<Nodes> {
  await using starting = new AsyncDisposableStack()
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  starting.defer(() => rmSync(data, { recursive: true, force: true }))
  const { connection, url } = starting.use(await createTestDatabase())
  const start = async () => {
    const config = loadConfig({
      SVC_DATA: data,
      SVC_DATABASE_URL: url,
      SVC_DATABASE_POOL: '4',
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'silent',
      SVC_RATE_LIMIT: '0',
      SVC_MAX_CONCURRENT_REQUESTS: '0',
      ...env,
    })
    return starting.use(await createApp(config, pino({ level: 'silent' }), internals))
  }
  const first = await start()
  const nodes = [first, await start()] as const
  const pool = new pg.Pool({ ...connection, max: 2 })
  // Its idle connections end with the server.
  pool.on('error', () => {})
  starting.defer(() => pool.end())
  const as = (node: 0 | 1, key: string | undefined) => new Client(nodes[node].address, key)
  const running = starting.move()
  return {
    routes: first.routes,
    setupPath: new URL(first.setupUrl ?? '').pathname,
    admins: [as(0, first.adminKey), as(1, first.adminKey)],
    as,
    connection,
    query: (text, values = []) => pool.query(text, [...values]),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
