import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { Client } from '../support/client.ts'
import { dataFolder, until } from '../support/embedded.ts'
import { scrape } from '../support/metrics.ts'
import { createApp } from '../support/program.ts'

test('a promotion is counted as a failover; a restart of the same primary is not', async () => {
  await using folder = dataFolder()
  let server = await folder.start()
  const { user, password, host, port, database } = server.connection
  const url = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const config = loadConfig({ SVC_DATA: folder.path, SVC_DATABASE_URL: url, SVC_PORT: '0' })
  await using node = await createApp(config, pino({ level: 'silent' }))
  const client = new Client(node.address, undefined)
  const failovers = async () => (await scrape(client)).samples.get('recto_database_failovers_total')
  assert.equal(await failovers(), 0)

  await server.stop()
  assert.equal((await scrape(client)).samples.get('recto_database_up'), 0)
  server = await folder.start()
  await until(async () => (await scrape(client)).samples.get('recto_database_up') === 1)
  assert.equal(await failovers(), 0)

  await server.stop()
  writeFileSync(join(folder.cluster, 'standby.signal'), '')
  server = await folder.start()
  // What `pg_ctl promote` does: only a superuser may call pg_promote().
  writeFileSync(join(folder.cluster, 'promote'), '')
  process.kill(folder.postmaster(), 'SIGUSR1')
  await until(async () => (await failovers()) === 1)
  await server.stop()
})
