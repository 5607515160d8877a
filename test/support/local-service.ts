import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import type { App, Internals } from '../../packages/server/src/app/app.ts'
import { type Config, loadConfig } from '../../packages/server/src/platform/config.ts'
import { Client } from './client.ts'
import { createApp } from './program.ts'
import type { Service } from './service.ts'
import { createTestDatabase, sharedServer } from './test-database.ts'

/** A service in this process. */
export interface LocalService extends Service {
  readonly app: App
  readonly config: Config
}

/**
 * Starts a service in this process, with a new database on the shared server, or with an embedded server where there is
 * none.
 */
export async function startLocalService(
  env: Readonly<Record<string, string>> = {},
  internals: Internals = {},
  log?: Logger,
): Promise<LocalService> {
  const shared = env.SVC_DATABASE_URL === undefined && sharedServer()
  const database = shared ? await createTestDatabase() : undefined
  const settings = { ...(database && databaseEnv(database)), ...env }
  return startWith(settings, internals, log, () => database?.[Symbol.asyncDispose]())
}

/** Starts a service with an embedded server in every case, for tests of that server. */
export function startEmbeddedService(
  env: Readonly<Record<string, string>> = {},
  internals: Internals = {},
): Promise<LocalService> {
  return startWith(env, internals, undefined, () => undefined)
}

/** Settings with which a node uses a test database as it uses the embedded server. */
export function databaseEnv({ url }: { readonly url: string }) {
  return { SVC_DATABASE_URL: url, SVC_DATABASE_PREPARED: '1' }
}

async function startWith(
  env: Readonly<Record<string, string>>,
  internals: Internals,
  log: Logger | undefined,
  removeDatabase: () => PromiseLike<void> | undefined,
): Promise<LocalService> {
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const config = loadConfig({
    SVC_DATA: data,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    SVC_RATE_LIMIT: '0',
    SVC_MAX_CONCURRENT_REQUESTS: '0',
    ...env,
  })
  const start = () => createApp(config, log ?? pino({ level: config.logLevel }), internals)
  let app = await start()
  const { adminKey } = app
  return {
    get app() {
      return app
    },
    config,
    data,
    get admin() {
      return new Client(app.address, adminKey)
    },
    get nobody() {
      return new Client(app.address, undefined)
    },
    as: (key) => new Client(app.address, key),
    async restart() {
      await app[Symbol.asyncDispose]()
      app = await start()
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await removeDatabase()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
