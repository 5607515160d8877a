import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { Client } from '../support/client.ts'
import { dataFolder } from '../support/embedded.ts'
import { createApp } from '../support/program.ts'
import { createTestDatabase } from '../support/test-database.ts'

const QUOTA = 64

test('three nodes of one database share the quota of a key', async () => {
  await using folder = dataFolder()
  await using database = await createTestDatabase()
  const env = {
    SVC_DATA: folder.path,
    SVC_DATABASE_URL: database.url,
    SVC_DATABASE_POOL: '2',
    SVC_PORT: '0',
    SVC_RATE_LIMIT: String(QUOTA),
  }
  await using nodes = new AsyncDisposableStack()
  const start = async () =>
    nodes.use(await createApp(loadConfig(env), pino({ level: 'silent' }), { rateLeaseMs: 30_000 }))
  const first = await start()
  const clients = [first, await start(), await start()].map((node) => new Client(node.address, first.adminKey))

  let allowed = 0
  let least = QUOTA
  // Each node is asked until it says that nothing is left.
  const send = async (client: Client) => {
    for (;;) {
      const { status, headers } = await client.get('/me')
      const [, remaining] = /r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? []
      assert.ok(remaining !== undefined)
      least = Math.min(least, Number(remaining))
      if (status === 429) return
      assert.equal(status, 200)
      allowed++
    }
  }
  await Promise.all(clients.map(send))
  // None beyond the quota; what a node leased and did not use is less than 1/32 for each.
  assert.ok(allowed <= QUOTA, `${allowed} of ${QUOTA}`)
  assert.ok(allowed >= 0.9 * QUOTA, `${allowed} of ${QUOTA}`)
  assert.equal(least, 0)
})
