import pg from 'pg'
import type { Internals } from '../../packages/server/src/app/app.ts'
import type { ConnectionSettings } from '../../packages/server/src/platform/database/embedded/server.ts'
import { Client } from './client.ts'
import { connectHost, hostOfServices, type StartedNodes } from './service-hosts.ts'

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

/**
 * Two nodes over one database, which a test may look into and change. In a test run a host process starts them;
 * otherwise, and with internals, they run in this process.
 */
export async function startNodes(
  env: Readonly<Record<string, string>> = {},
  internals: Internals = {},
): Promise<Nodes> {
  await using starting = new AsyncDisposableStack()
  const { addresses, adminKey, setupUrl, routes, connection } = starting.use(await startAll(env, internals))
  const pool = new pg.Pool({ ...connection, max: 2 })
  // Its idle connections end with the server.
  pool.on('error', () => {})
  starting.defer(() => pool.end())
  const as = (node: 0 | 1, key: string | undefined) => new Client(addresses[node], key)
  const running = starting.move()
  return {
    routes,
    setupPath: new URL(setupUrl ?? '').pathname,
    admins: [as(0, adminKey), as(1, adminKey)],
    as,
    connection,
    query: (text, values = []) => pool.query(text, [...values]),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function startAll(
  env: Readonly<Record<string, string>>,
  internals: Internals,
): Promise<StartedNodes & AsyncDisposable> {
  const host = hostOfServices()
  if (host === undefined || Object.keys(internals).length > 0) {
    const { startLocalNodes } = await import('./local-nodes.ts')
    return startLocalNodes(env, internals)
  }
  const connection = connectHost(host)
  const started = await connection.ask<StartedNodes>({ nodes: env })
  return { ...started, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}
