import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { createPresence } from '../../packages/server/src/platform/database/availability/presence.ts'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startNodes } from '../support/nodes.ts'
import { startProcess } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { createTestDatabase } from '../support/test-database.ts'

const ENV = {
  SVC_SECRET_KEY: randomBytes(32).toString('base64'),
  SVC_WEBHOOKS_ALLOW_HTTP: '1',
  SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
}
const PAGES = 20
/** Attempts of one webhook at once. */
const UNDER_WAY = 5
/** Half of the lease of a claim: who only waits for its end needs twice as long. */
const WELL_BELOW_LEASE_MS = 30_000

test('deliveries of a killed node are claimed by another one long before their lease ends', async (t) => {
  await using stack = new AsyncDisposableStack()
  const { url } = stack.use(await createTestDatabase())
  const data = mkdtempSync(join(tmpdir(), 'recto-takeover-'))
  stack.defer(() => rmSync(data, { recursive: true, force: true }))
  const env = { ...ENV, SVC_DATABASE_URL: url, SVC_DATABASE_POOL: '4', SVC_RATE_LIMIT: '0' }
  const dead = await startProcess({ data, env })
  const other = stack.use(await startProcess({ data, env }))
  stack.defer(async () => void (dead.child.kill('SIGKILL') && (await dead.ended)))
  let holding = true
  const receiver = stack.use(await startReceiver((response) => holding || response.writeHead(204).end()))
  const admin = new Client(dead.url, dead.key)
  await admin.space('taken')
  assertStatus(await admin.post('/admin/webhooks', { url: receiver.url, events: ['page.created'] }), 201)

  // The other node sees nothing of it until all is claimed.
  other.child.kill('SIGSTOP')
  for (let n = 0; n < PAGES; n++) assertStatus(await admin.put(`/pages/taken/p${n}`, 'x'), 201)
  await receiver.nth(UNDER_WAY)
  holding = false
  const killed = performance.now()
  dead.child.kill('SIGKILL')
  await dead.ended
  other.child.kill('SIGCONT')

  await until(() => new Set(receiver.received.map(({ json }) => json.deliveryId)).size === PAGES, 60_000)
  await receiver.nth(PAGES + UNDER_WAY)
  const ms = Math.round(performance.now() - killed)
  t.diagnostic(`${PAGES} deliveries were taken over within ${ms} ms`)
  assert.ok(ms < WELL_BELOW_LEASE_MS, `it took ${ms} ms`)
  const again = new Client(other.url, dead.key)
  const [webhook] = await again.all('/admin/webhooks')
  const log = () => again.all(`/admin/webhooks/${webhook.id}/deliveries?limit=200`)
  await until(async () => (await log()).every(({ status }) => status === 'succeeded'))
  // At least once: twice is only what was under way when the node died, and with the number of the same attempt.
  const taken = receiver.received.slice(UNDER_WAY)
  assert.deepEqual(taken.map(({ json }) => json.deliveryId).sort(), (await log()).map(({ id }) => id).sort())
  assert.ok(receiver.received.every(({ headers }) => headers['x-svc-attempt'] === '1'))
})

test('a running node that lost its presence lock with its connection keeps the deliveries in progress', async () => {
  await using nodes = await startNodes(ENV)
  const held: (() => void)[] = []
  await using receiver = await startReceiver((response) => held.push(() => response.writeHead(204).end()))
  const [admin] = nodes.admins
  await admin.space('kept')
  await admin.post('/admin/webhooks', { url: receiver.url, events: ['page.created'] })
  const locks = async () =>
    (
      await nodes.query(
        `select pid from pg_locks where locktype = 'advisory' and objsubid = 2
           and database = (select oid from pg_database where datname = current_database())`,
      )
    ).rows.map(({ pid }) => pid)
  await until(async () => (await locks()).length === 2)
  await admin.put('/pages/kept/a', 'x')
  await receiver.nth(1)
  const before = await locks()
  await nodes.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [before])
  await until(async () => (await locks()).filter((pid) => !before.includes(pid)).length === 2)
  for (const answer of held) answer()
  const [webhook] = await admin.all('/admin/webhooks')
  const log = () => admin.all(`/admin/webhooks/${webhook.id}/deliveries`)
  await until(async () => (await log())[0].status === 'succeeded')
  assert.equal(receiver.received.length, 1)
})

test('no presence lock is acquired through a pooler, where it would survive the node', async () => {
  await using database = await createTestDatabase()
  const client = new pg.Client(database.connection)
  await client.connect()
  try {
    const direct = createPresence()
    await direct.announce(client)
    assert.ok(direct.node !== undefined)
    // A pooler says another number than that of the process behind it.
    Object.assign(client, { processID: 1 })
    const pooled = createPresence()
    await pooled.announce(client)
    assert.equal(pooled.node, undefined)
    const { rows } = await client.query(`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`)
    assert.equal(rows.length, 1)
  } finally {
    await client.end()
  }
})
