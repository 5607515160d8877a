import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Internals } from '../../packages/server/src/app/app.ts'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { createApp } from './program.ts'
import type { StartedNodes } from './service-hosts.ts'
import { createTestDatabase } from './test-database.ts'

/** Starts two nodes over one new database in this process. */
export async function startLocalNodes(
  env: Readonly<Record<string, string>>,
  internals: Internals = {},
): Promise<StartedNodes & AsyncDisposable> {
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
  const { address, adminKey, setupUrl, routes } = await start()
  const addresses = [address, (await start()).address] as const
  const running = starting.move()
  return { addresses, adminKey, setupUrl, routes, connection, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
