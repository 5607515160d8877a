import type { Internals } from '../../packages/server/src/app/app.ts'
import { Client } from './client.ts'
import { connectHost, hostOfServices, type Started } from './service-hosts.ts'

/** A service with an empty database, for one test file. */
export interface Service extends AsyncDisposable {
  /** Where it listens, and the key and the one-time link of the first admin if the start created them. */
  readonly app: {
    readonly address: string
    readonly adminKey: string | undefined
    readonly setupUrl: string | undefined
  }
  /** Its data folder. */
  readonly data: string
  /** Speaks as the first admin. */
  readonly admin: Client
  /** Speaks without a key. */
  readonly nobody: Client
  as(key: string): Client
  /** Stops and starts the service on the same data: its caches are empty. */
  restart(): Promise<void>
}

/**
 * Starts Recto on a free port with an empty database; disposing removes both. In a test run a host process does it,
 * which has loaded and compiled the program already; otherwise, and with internals, the service runs in this process.
 */
export async function startService(
  env: Readonly<Record<string, string>> = {},
  internals: Internals = {},
): Promise<Service> {
  const host = hostOfServices()
  if (host !== undefined && Object.keys(internals).length === 0) return startHosted(host, env)
  const { startLocalService } = await import('./local-service.ts')
  return startLocalService(env, internals)
}

/** One connection to the host is one service, which stops with it. */
async function startHosted(host: string, env: Readonly<Record<string, string>>): Promise<Service> {
  const connection = connectHost(host)
  const started = await connection.ask<Started>({ env })
  const { data, adminKey, setupUrl } = started
  let { address } = started
  return {
    get app() {
      return { address, adminKey, setupUrl }
    },
    data,
    get admin() {
      return new Client(address, adminKey)
    },
    get nobody() {
      return new Client(address, undefined)
    },
    as: (key) => new Client(address, key),
    async restart() {
      address = (await connection.ask<Started>({ restart: true })).address
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}
