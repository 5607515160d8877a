import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { type App, createApp, type Internals } from '../../src/app.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { Client } from './client.ts'

/** A service of its own, with an empty database, for one test file. */
export interface Service extends AsyncDisposable {
  readonly app: App
  readonly config: Config
  readonly data: string
  /** Speaks as the first admin. */
  readonly admin: Client
  /** Speaks without a key. */
  readonly nobody: Client
  as(key: string): Client
  /** Stops and starts the process' parts on the same data: nothing is cached any more. */
  restart(): Promise<void>
}

/** Starts Recto on a free port with an embedded database in a folder of its own; disposing removes both. */
export async function startService(
  env: Readonly<Record<string, string>> = {},
  internals: Internals = {},
  log?: Logger,
): Promise<Service> {
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
      rmSync(data, { recursive: true, force: true })
    },
  }
}
