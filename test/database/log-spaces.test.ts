import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fillLogSpaces } from '../../packages/server/src/content/spaces/store-log-spaces.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { autocommit } from '../../packages/server/src/platform/database/transaction.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { holdSweep } from '../support/sweeps.ts'

// Deliveries and audit entries hold their space: docs/scaling.md.

let nodes: Nodes
before(async () => {
  nodes = await startNodes({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_RETRY_SCHEDULE: '86400' })
  await holdSweep(nodes, 'spaces of deliveries and audit entries')
})
after(() => nodes[Symbol.asyncDispose]())

async function idOf(slug: string): Promise<number> {
  return (await nodes.query('select id::int from space where slug = $1', [slug])).rows[0].id
}

async function subscribe(name: string): Promise<string> {
  const hook = { url: `http://${name}.invalid/`, events: ['*'] }
  return assertStatus(await nodes.admins[0].post('/admin/webhooks', hook), 201).json.webhook.id
}

/** Events and spaces of the deliveries of a webhook, the oldest first. */
async function deliveries(webhook: string): Promise<unknown[]> {
  const { rows } = await nodes.query(
    'select event, space_id from webhook_delivery where webhook_id = $1 order by id, event',
    [webhook],
  )
  return rows.map(({ event, space_id }) => [event, Number(space_id)])
}

test('a delivery has the space of its event, also when redelivered; a test of a webhook has none', async () => {
  const [admin] = nodes.admins
  const webhook = await subscribe('held')
  await admin.space('held')
  const id = await idOf('held')
  assertStatus(await admin.put('/pages/held/page', '# Page'), 201)
  await until(async () => (await deliveries(webhook)).length === 2)
  assert.deepEqual(await deliveries(webhook), [
    ['space.created', id],
    ['page.created', id],
  ])
  const [newest] = await admin.all(`/admin/webhooks/${webhook}/deliveries`)
  assertStatus(await admin.post(`/admin/webhooks/${webhook}/deliveries/${newest.id}/redeliver`), 202)
  assertStatus(await admin.post(`/admin/webhooks/${webhook}/test`), 200)
  assert.deepEqual((await deliveries(webhook)).slice(2), [
    ['page.created', id],
    ['webhook.test', 0],
  ])
  assertStatus(await admin.delete('/spaces/held?force=true'), 204)
  assert.deepEqual((await deliveries(webhook)).at(-1), ['space.deleted', id])
  assertStatus(await admin.delete(`/admin/webhooks/${webhook}`), 204)
})

test('an audit entry has the space of its action; other actions belong to the organisation', async () => {
  const [admin] = nodes.admins
  const bob = assertStatus(await admin.post('/admin/principals', { name: 'Bob', kind: 'human' }), 201).json.id
  const { secret } = assertStatus(
    await admin.post('/admin/api-keys', { principal: bob, name: 'laptop', scopes: ['read', 'write'] }),
    201,
  ).json
  await admin.space('acts', { visibility: 'private' })
  const id = await idOf('acts')
  const member = `/spaces/acts/members/${bob}`
  assertStatus(await admin.call('PUT', member, { json: { role: 'editor' } }), 201)
  assertStatus(await admin.delete(member), 204)
  assertStatus(await admin.patch('/spaces/acts', { slug: 'acted' }), 200)
  assertStatus(await nodes.as(0, secret).post('/spaces', { slug: 'acted' }), 409)
  assertStatus(await admin.delete('/spaces/acted'), 204)
  const { rows } = await nodes.query('select action, space_id::int from audit_entry where space_id = $1', [id])
  assert.deepEqual(rows.map(({ action }) => action).sort(), [
    'space.created',
    'space.deleted',
    'space.member_removed',
    'space.member_set',
    'space.slug_conflict',
    'space.updated',
  ])
  const others = await nodes.query(
    `select distinct space_id::int as space from audit_entry where target_type <> 'space'`,
  )
  assert.deepEqual(others.rows, [{ space: 0 }])
})

test('rows of nodes of an older release get their space in batches', async () => {
  const [admin] = nodes.admins
  const webhook = await subscribe('older')
  await admin.space('former')
  const id = await idOf('former')
  assertStatus(await admin.put('/pages/former/page', '# "page":{"space":"other"'), 201)
  assertStatus(await admin.patch('/spaces/former', { slug: 'latter' }), 200)
  assertStatus(await admin.put('/pages/latter/page2', '# Page'), 201)
  await until(async () => (await deliveries(webhook)).length === 4)
  const expected = await deliveries(webhook)
  assert.deepEqual(
    expected.map((row) => (row as unknown[])[1]),
    [id, id, id, id],
  )
  const acts = async () =>
    (await nodes.query('select id, space_id::int from audit_entry where target_id <> $1 order by id', ['held'])).rows
  const entries = await acts()

  // The statements of the release before, which know no space.
  for (const [table, columns] of [
    ['webhook_delivery', 'webhook_id, id, event, body, claim, due_at, created_at'],
    ['audit_entry', 'id, at, action, actor_id, target_type, target_id, target_name, details, address'],
  ]) {
    await nodes.query(
      `with old as (delete from ${table} returning *) insert into ${table} (${columns}) select ${columns} from old`,
    )
  }
  await nodes.query(
    `insert into webhook_delivery (webhook_id, id, event, body, due_at, created_at)
     select webhook_id, gen_random_uuid(), 'space.deleted', '{"space":{"slug":"gone","name":"x"}}', now(), now()
     from webhook_delivery limit 1`,
  )
  const unknown = async () =>
    (
      await nodes.query(
        `select (select count(*) from webhook_delivery where space_id = -1)::int as deliveries,
           (select count(*) from audit_entry where space_id = -1)::int as acts`,
      )
    ).rows[0]
  const before = await unknown()
  assert.ok(before.deliveries >= 5) // those of other webhooks as well
  assert.ok(before.acts > 5)

  const pool = createPool({
    server: new DatabaseServer(nodes.connection),
    size: 1,
    prepared: false,
    onError: () => {},
  })
  try {
    const db = createDb(pool)
    const batches: number[] = []
    for (let n = -1; n !== 0; batches.push(n)) n = await fillLogSpaces(autocommit(db), 4)
    assert.ok(Math.max(...batches) <= 8, String(batches))
  } finally {
    await pool.end()
  }
  assert.deepEqual(await unknown(), { deliveries: 0, acts: 0 })
  const filled = await deliveries(webhook)
  assert.deepEqual(
    filled.filter((row) => (row as unknown[])[0] !== 'space.deleted'),
    expected,
  )
  // Acts on a space that is gone are of no space that there is.
  const live = new Set((await nodes.query('select id::int from space')).rows.map(({ id }) => id))
  assert.deepEqual(
    await acts(),
    entries.map((entry) => (live.has(entry.space_id) ? entry : { ...entry, space_id: 0 })),
  )
})
