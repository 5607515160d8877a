import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey, newPerson } from '../support/people.ts'

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
})
after(() => nodes[Symbol.asyncDispose]())

/** Waits until the other node refuses the key; how long that takes is no matter of a test. */
async function rejectedElsewhere(key: string): Promise<void> {
  await until(async () => (await nodes.as(1, key).get('/me')).status === 401, 5_000)
}

test('principals are listed by kind, role and state, and changed', async () => {
  const [admin] = nodes.admins
  const bot = await newPerson(admin, 'Bot', { kind: 'agent' })
  const read = assertStatus(await admin.get(`/admin/principals/${bot.id}`), 200).json
  assert.deepEqual(
    { ...read, createdAt: '' },
    {
      id: bot.id,
      name: 'Bot',
      kind: 'agent',
      role: 'member',
      guest: false,
      disabled: false,
      email: null,
      disabledAt: null,
      createdAt: '',
    },
  )
  const changed = await admin.patch(`/admin/principals/${bot.id}`, { name: 'Robot', disabled: true })
  assert.equal(assertStatus(changed, 200).json.name, 'Robot')
  assert.equal(changed.json.disabled, true)
  const ids = async (query: string) => (await admin.all(`/admin/principals${query}`)).map(({ id }) => id)
  assert.deepEqual(await ids('?kind=agent&disabled=true&limit=1'), [bot.id])
  assert.ok(!(await ids('?disabled=false')).includes(bot.id))
  assert.deepEqual(await ids('?name=rOBo'), [bot.id])
  assert.deepEqual(await ids('?name=%25'), [])
  assert.ok(!(await ids('?role=admin')).includes(bot.id))
  assertProblem(await admin.get('/admin/principals/x'), 404, 'not_found')
  assertProblem(await admin.patch('/admin/principals/x', { name: 'X' }), 404, 'not_found')
  assertProblem(await admin.patch(`/admin/principals/${bot.id}`, {}), 400, 'invalid_request')
  assertProblem(await admin.patch(`/admin/principals/${bot.id}`, { kind: 'human' }), 400, 'invalid_request')
})

test('a revoked key and a disabled principal are rejected by another node within its cache time', async () => {
  const [admin] = nodes.admins
  const ann = await newPerson(admin, 'Ann')
  const { secret, apiKey } = await newKey(admin, ann.id)
  for (const key of [secret, ann.key]) assertStatus(await nodes.as(1, key).get('/me'), 200)

  assertStatus(await admin.delete(`/admin/api-keys/${apiKey.id}`), 204)
  await rejectedElsewhere(secret)
  assertStatus(await nodes.as(1, ann.key).get('/me'), 200)

  assertStatus(await admin.patch(`/admin/principals/${ann.id}`, { disabled: true }), 200)
  await rejectedElsewhere(ann.key)
  assertStatus(await admin.patch(`/admin/principals/${ann.id}`, { disabled: false }), 200)
  assertStatus(await nodes.as(1, ann.key).get('/me'), 200)
})

test('an expired key is rejected', async () => {
  const [admin] = nodes.admins
  const bob = await newPerson(admin, 'Bob')
  await nodes.query(`update api_key set expires_at = now() - interval '1 second' where id = $1`, [bob.keyId])
  assertProblem(await bob.client.get('/me'), 401, 'unauthorized')
})

test('the last admin cannot be disabled, demoted or lose all keys; of two who remove each other one remains', async () => {
  const [admin] = nodes.admins
  const me = (await admin.get('/me')).json
  const [own] = (await admin.get('/me/api-keys')).json.items
  assertProblem(await admin.patch(`/admin/principals/${me.id}`, { disabled: true }), 409, 'last_admin')
  assertProblem(await admin.patch(`/admin/principals/${me.id}`, { role: 'member' }), 409, 'last_admin')
  assertProblem(await admin.delete(`/me/api-keys/${own.id}`), 409, 'last_admin')
  assertStatus(await admin.get('/me'), 200)

  const cleo = await newPerson(admin, 'Cleo', { role: 'admin', scopes: ['write'] })
  assertProblem(await admin.patch(`/admin/principals/${me.id}`, { role: 'member' }), 409, 'last_admin')
  const key = await newKey(admin, cleo.id)
  const other = nodes.as(1, key.secret)
  const both = await Promise.all([
    admin.patch(`/admin/principals/${cleo.id}`, { role: 'member' }),
    other.patch(`/admin/principals/${me.id}`, { role: 'member' }),
  ])
  const [done, rejected] = both.map(({ status }) => status).sort()
  assert.equal(done, 200)
  // 403: this principal was demoted before its own request was authenticated.
  assert.ok(rejected === 409 || rejected === 403, `${rejected}`)
  const left = both[0].status === 200 ? admin : other
  assertStatus(await left.get('/admin/principals'), 200)
  // Restored for the tests after this one.
  assertStatus(await left.patch(`/admin/principals/${me.id}`, { role: 'admin' }), 200)
})
