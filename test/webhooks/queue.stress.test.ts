import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import { claimDeliveries } from '../../packages/server/src/events/webhooks/store-queue.ts'
import { deleteOldDeliveries } from '../../packages/server/src/events/webhooks/store-sweep.ts'
import { toFirstId } from '../../packages/server/src/events/webhooks/sweep.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { autocommit, createDb, type Db } from '../../packages/server/src/platform/database/database.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { recordingDb } from '../support/recording-db.ts'
import { holdSweep } from '../support/sweeps.ts'
import { openWebSession } from '../support/web-session.ts'

/** Two nodes over one database. The poll is so slow that only wake-ups make a test end in time. */
const resolved = new Map<string, string>()
let nodes: Nodes
before(async () => {
  nodes = await startNodes(
    { SVC_SECRET_KEY: randomBytes(32).toString('base64'), SVC_WEBHOOKS_ALLOW_HTTP: '1' },
    {
      webhooks: {
        schedule: [0.1, 0.1],
        isPublic: (address) => address === '127.0.0.1',
        transport: {
          timeoutMs: 1_000,
          resolve: async (host) => [{ address: resolved.get(host) ?? '127.0.0.1', family: 4 }],
        },
        pollMs: 300,
        leaseMs: 3_000,
      },
    },
  )
})
after(() => nodes[Symbol.asyncDispose]())

async function subscribe(url: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await nodes.admins[0].post('/admin/webhooks', { url, events: ['*'], ...more })
  return assertStatus(answer, 201).json.webhook.id
}

async function log(id: string) {
  return nodes.admins[1].all(`/admin/webhooks/${id}/deliveries?limit=200`)
}

async function count(sql: string, values: readonly unknown[] = []): Promise<number> {
  return Number((await nodes.query(sql, values)).rows[0].count)
}

test('no delivery is written without a subscriber, for a disabled webhook, or in a personal space', async () => {
  const [admin] = nodes.admins
  await admin.space('silent')
  await admin.space('heard')
  const rows = () => count('select count(*) from webhook_delivery')
  const before = await rows()
  await admin.put('/pages/silent/a', 'x')
  const id = await subscribe('https://hook.example/', { spaceSlug: 'heard' })
  const off = await subscribe('https://hook.example/')
  await admin.patch(`/admin/webhooks/${off}`, { enabled: false })
  await admin.put('/pages/silent/b', 'x')
  await admin.put('/pages/personal/b', 'x')
  await admin.patch('/spaces/personal', { name: 'Mine' })
  assert.equal(await rows(), before)
  assert.ok((await count(`select count(*) from event where kind = 'page.created'`)) >= 3)
  for (const one of [id, off]) await admin.delete(`/admin/webhooks/${one}`)
})

test('a rejected or rolled back write sends nothing', async () => {
  const [admin] = nodes.admins
  await using receiver = await startReceiver()
  await admin.space('rejected')
  const id = await subscribe(receiver.url, { spaceSlug: 'rejected' })
  await admin.put('/pages/rejected/a', 'x')
  await receiver.nth(1)
  assertStatus(await admin.put('/pages/rejected/a', 'y', { 'if-match': '"7"' }), 412)
  assertStatus(await admin.delete('/spaces/rejected'), 409)
  assert.equal((await log(id)).length, 1)
})

/** The time limit of the test ends it: how long so many deliveries take depends on the machine. */
const NO_LIMIT = Number.POSITIVE_INFINITY

test('competing nodes send every delivery, and each is claimed once', async () => {
  await using receiver = await startReceiver((response) => setTimeout(() => response.writeHead(200).end(), 5))
  await nodes.admins[0].space('shared')
  const id = await subscribe(receiver.url, { spaceSlug: 'shared' })
  const writes = Array.from({ length: 200 }, (_, n) =>
    nodes.admins[n % 2 === 0 ? 0 : 1].put(`/pages/shared/p${n}`, 'x').then((answer) => assertStatus(answer, 201)),
  )
  await Promise.all(writes)
  await until(async () => (await log(id)).every(({ status }) => status === 'succeeded'), NO_LIMIT)
  const deliveries = await log(id)
  assert.equal(deliveries.length, 200)
  // A busy machine may answer too late: what is sent again is another attempt of the same delivery.
  const attempts = Object.fromEntries(deliveries.map((one) => [one.id, one.attempts.length]))
  const received = Map.groupBy(receiver.received, ({ json }) => json.deliveryId)
  for (const [delivery, requests] of received) assert.ok(requests.length <= attempts[delivery], delivery)
  assert.deepEqual([...received.keys()].sort(), Object.keys(attempts).sort())
})

test('a name with a private address is blocked at delivery, logged and not retried', async () => {
  resolved.set('inside.example', '10.0.0.7')
  await nodes.admins[0].space('blocked')
  const id = await subscribe('https://inside.example/hook', { spaceSlug: 'blocked' })
  await nodes.admins[0].put('/pages/blocked/a', 'x')
  await until(async () => (await log(id))[0].status !== 'pending')
  const [delivery] = await log(id)
  assert.equal(delivery.status, 'blocked')
  assert.equal(delivery.nextAttemptAt, null)
  assert.equal(delivery.attempts.length, 1)
  assert.equal(delivery.attempts[0].error, 'address_blocked')
  assert.equal(delivery.attempts[0].responseStatus, null)
  const test = assertStatus(await nodes.admins[0].post(`/admin/webhooks/${id}/test`), 200).json
  assert.deepEqual([test.delivered, test.delivery.status], [false, 'blocked'])
})

test('a webhook is disabled after five days of failures only, and one success resets the time', async () => {
  let status = 500
  await using receiver = await startReceiver((response) => response.writeHead(status).end())
  const [admin] = nodes.admins
  await admin.space('failing')
  const id = await subscribe(receiver.url, { spaceSlug: 'failing' })
  const path = `/admin/webhooks/${id}`
  const since = async () =>
    (await nodes.query('select failing_since from webhook where id = $1', [id])).rows[0].failing_since
  const age = (days: number) =>
    nodes.query(`update webhook set failing_since = now() - $2::int * interval '1 day' where id = $1`, [id, days])
  await admin.put('/pages/failing/a', 'x')
  await until(async () => (await since()) !== null)
  await age(4)
  await until(async () => (await log(id))[0].status === 'failed')
  assert.equal((await admin.get(path)).json.enabled, true)
  status = 204
  await admin.put('/pages/failing/b', 'x')
  await until(async () => (await since()) === null)
  status = 500
  await admin.put('/pages/failing/c', 'x')
  await until(async () => (await since()) !== null)
  await until(async () => (await log(id))[0].status === 'failed')
  await age(6)
  await admin.put('/pages/failing/d', 'x')
  await until(async () => (await admin.get(path)).json.enabled === false)
  assert.equal((await admin.get(path)).json.disabledReason, 'failing')
  const { items } = (await admin.get(`/admin/audit?action=webhook.disabled&target=${id}`)).json
  assert.deepEqual(
    items.map(({ target, details, address }: { target: object; details: object; address: null }) => ({
      target,
      details,
      address,
    })),
    [
      {
        target: { type: 'webhook', id, name: new URL(receiver.url).host },
        details: { reason: 'failing', automatic: true },
        address: null,
      },
    ],
  )
  const session = await openWebSession(admin.base, admin.key ?? '')
  const member = await newPerson(admin, 'Mia')
  const hers = await openWebSession(admin.base, member.key)
  for (const screen of ['/', '/manage'])
    assert.match((await session.get(screen)).text, /was disabled: its deliveries failed for days/)
  assert.doesNotMatch((await hers.get('/')).text, /was disabled/)
  status = 204
  await admin.patch(path, { enabled: true })
  await until(async () => (await log(id))[0].status === 'succeeded')
  assert.equal((await admin.get(path)).json.disabledReason, null)
  assert.doesNotMatch((await session.get('/')).text, /was disabled/)
})

test('a delivery of a dead node is claimed again when its lease ends, with the same id and attempt number', async () => {
  await using receiver = await startReceiver()
  await nodes.admins[0].space('orphaned')
  const id = await subscribe(receiver.url, { spaceSlug: 'orphaned' })
  await nodes.admins[0].put('/pages/orphaned/a', 'x')
  await receiver.nth(1)
  await until(async () => (await log(id))[0].status === 'succeeded')
  // As a node leaves it that is killed while it sends.
  await nodes.query(
    `update webhook_delivery set status = 'pending', attempts = '[]', claim = 7, completed_at = null,
      due_at = now() + interval '1 second' where webhook_id = $1`,
    [id],
  )
  const again = await receiver.nth(2)
  assert.equal(again.body, receiver.received[0]?.body)
  assert.equal(again.headers['x-svc-attempt'], '1')
  await until(async () => (await log(id))[0].status === 'succeeded')
  assert.equal((await log(id))[0].attempts.length, 1)
})

test('an outcome that is written after its lease was lost is fenced off', async () => {
  const held: (() => void)[] = []
  await using receiver = await startReceiver((response) => held.push(() => response.writeHead(204).end()))
  await nodes.admins[0].space('fenced')
  const id = await subscribe(receiver.url, { spaceSlug: 'fenced' })
  await nodes.admins[0].put('/pages/fenced/a', 'x')
  await receiver.nth(1)
  await nodes.query(
    `update webhook_delivery set claim = claim + 1, due_at = now() + interval '1 minute' where webhook_id = $1`,
    [id],
  )
  for (const answer of held) answer()
  await nodes.admins[0].space('fence-passed')
  const other = await subscribe(receiver.url, { spaceSlug: 'fence-passed' })
  await nodes.admins[0].put('/pages/fence-passed/a', 'x')
  await receiver.nth(2)
  held.at(-1)?.()
  await until(async () => (await log(other))[0].status === 'succeeded')
  const [delivery] = await log(id)
  assert.deepEqual([delivery.status, delivery.attempts], ['pending', []])
})

test('secrets are encrypted in the database, and webhooks of another key are not claimed', async () => {
  await using receiver = await startReceiver()
  const [admin] = nodes.admins
  await admin.space('foreign')
  const created = await admin.post('/admin/webhooks', { url: receiver.url, events: ['*'], spaceSlug: 'foreign' })
  const { webhook, secret } = assertStatus(created, 201).json
  const { rows } = await nodes.query('select w::text as text, secret from webhook w where id = $1', [webhook.id])
  assert.ok(!rows[0].text.includes(secret.slice(6)) && !rows[0].secret.includes(secret.slice(6)))
  await nodes.query(`update webhook set secret_key = 'another' where id = $1`, [webhook.id])
  await admin.put('/pages/foreign/a', 'x')
  // The nodes have had their chance once a later delivery is through.
  await using other = await startReceiver()
  const later = await subscribe(other.url, { spaceSlug: 'foreign' })
  await admin.put('/pages/foreign/b', 'x')
  await other.nth(1)
  assert.deepEqual(
    (await log(webhook.id)).map(({ status, attempts }) => [status, attempts.length]),
    [
      ['pending', 0],
      ['pending', 0],
    ],
  )
  const tested = assertProblem(await admin.post(`/admin/webhooks/${webhook.id}/test`), 409, 'webhook_secret_lost')
  assert.match(tested.json.detail, /encrypted with another key.*SVC_SECRET_KEY.*rotate/)
  // Rotating brings it back.
  assertStatus(await admin.post(`/admin/webhooks/${webhook.id}/rotate-secret`), 200)
  await receiver.nth(2)
  await until(async () => (await log(later)).every(({ status }) => status === 'succeeded'))
})

/** A database handle of one connection, which a test may keep in a transaction. */
function openDb(): { readonly db: Db; readonly pool: Pool } & AsyncDisposable {
  const server = new DatabaseServer(nodes.connection)
  const pool = createPool({ server, size: 1, prepared: false, onError: () => {} })
  return { db: createDb(pool), pool, [Symbol.asyncDispose]: () => pool.end() }
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)]
}

test('the plan of a claim reads index ranges, however many deliveries of a receiver are pending or not due', async () => {
  await nodes.admins[0].space('plan')
  const id = await subscribe('https://hook.example/', { spaceSlug: 'plan' })
  // Of another key, so that no node claims them.
  await nodes.query(`update webhook set secret_key = 'plan' where id = $1`, [id])
  await nodes.query(
    `insert into webhook_delivery (webhook_id, id, event, body, due_at, created_at)
     select $1, gen_random_uuid(), 'page.created', '{}', now() + (n - 10) * interval '1 hour', now() from generate_series(1, 20000) n`,
    [id],
  )
  await nodes.query('analyze webhook_delivery')
  await using own = openDb()
  await own.pool.query('begin')
  const executed: CompiledQuery[] = []
  const capacity = { busy: [], perWebhook: 20, failingPerWebhook: 20, total: 20, failingTotal: 20 }
  const options = { keyId: 'plan', leaseSeconds: 60, node: undefined }
  const claimed = await claimDeliveries(autocommit(recordingDb(own.db, executed)), capacity, options)
  assert.equal(claimed.length, 10)
  await own.pool.query('rollback; begin')
  const { sql, parameters } = executed[0] as CompiledQuery // the claim
  const { rows } = await own.pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
  await own.pool.query('rollback')
  const scans = listNodes(rows[0]['QUERY PLAN'][0].Plan).filter(
    (node) => node['Relation Name'] === 'webhook_delivery' && node['Node Type'] !== 'ModifyTable',
  )
  assert.ok(scans.length >= 3, 'the oldest of each webhook, those that are due, and those that are claimed')
  const due = scans.filter((node) => node['Index Name'] === 'webhook_delivery_due')
  assert.ok(due.length >= 2)
  for (const node of due) assert.match(node['Index Cond'] ?? '', /webhook_id = .*due_at <= now\(\)/)
  for (const node of scans) {
    assert.match(node['Node Type'], /^Index/)
    assert.match(node['Index Cond'] ?? '', /webhook_id = /)
    const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    assert.ok(read <= 20, `${read} rows are read`)
  }
  await nodes.query('delete from webhook_delivery where webhook_id = $1', [id])
  await nodes.admins[0].delete(`/admin/webhooks/${id}`)
})

test('attempts that an earlier release wrote are read, with no more than the members of the API', async () => {
  await nodes.admins[0].space('earlier')
  const id = await subscribe('https://hook.example/', { spaceSlug: 'earlier' })
  const first = { at: '2026-01-02T03:04:05.678Z', durationMs: 12, responseStatus: 500, error: null, responseBody: 'no' }
  const attempts = [first, { ...first, memberOfALaterRelease: 1 }]
  await nodes.query(
    `insert into webhook_delivery (webhook_id, id, event, body, status, attempts, due_at, created_at, completed_at)
     values ($1, $2, 'page.created', '{}', 'failed', $3, now(), now(), now())`,
    [id, uuid7(), JSON.stringify(attempts)],
  )
  const [delivery] = await log(id)
  assert.deepEqual(delivery.attempts, [first, first])
  const session = await openWebSession(nodes.admins[0].base, nodes.admins[0].key ?? '')
  const screen = await session.get(`/manage/webhooks/${id}/deliveries/${delivery.id}`)
  assert.equal(screen.status, 200)
  assert.match(screen.text, /after 12 ms/)
  await nodes.admins[0].delete(`/admin/webhooks/${id}`)
})

test('the sweep deletes old deliveries in batches, and keeps recent ones and those pending for an enabled webhook', async () => {
  await holdSweep(nodes, 'webhook delivery sweep')
  await using own = openDb()
  const day = 24 * 3600_000
  const id = await subscribe('https://hook.example/')
  await nodes.query('update webhook set enabled = false where id = $1', [id])
  const insert = (webhook: string, time: number, status: string) =>
    nodes.query(
      `insert into webhook_delivery (webhook_id, id, event, body, status, due_at, created_at)
       values ($1, $2, 'page.created', '{}', $3, now() + interval '1 day', $4)`,
      [webhook, toFirstId(time).slice(0, -4) + randomBytes(2).toString('hex'), status, new Date(time)],
    )
  const now = Date.now()
  const enabled = await subscribe('https://hook.example/', { events: ['page.restored'] })
  for (let n = 0; n < 7; n++) await insert(enabled, now - 31 * day - n, 'succeeded')
  await insert(enabled, now - 31 * day, 'pending')
  await insert(enabled, now - 29 * day, 'failed')
  await insert(id, now - 31 * day, 'pending')
  await insert(uuid7(), now, 'pending')
  await insert(uuid7(), now, 'blocked')
  const bound = toFirstId(now - 30 * day)
  const batches: number[] = []
  for (let n = -1; n !== 0; batches.push(n)) n = await deleteOldDeliveries(autocommit(own.db), { bound, limit: 3 })
  assert.ok(batches.length >= 2 && Math.max(...batches) <= 3 * 6, String(batches))
  assert.deepEqual((await log(enabled)).map(({ status }) => status).sort(), ['failed', 'pending'])
  assert.equal((await log(id)).length, 0)
  assert.equal(
    await count(
      'select count(*) from webhook_delivery d where not exists (select 1 from webhook w where w.id = d.webhook_id)',
    ),
    0,
  )
})
