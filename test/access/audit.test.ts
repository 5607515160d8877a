import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let olga: Person
before(async () => {
  service = await startService({ SVC_TRUST_PROXY: '1' })
  olga = await newPerson(service.admin, 'Olga', { role: 'admin' })
})
after(() => service[Symbol.asyncDispose]())

test('every administrative action is in the audit log, with actor, action, target, time and address', async () => {
  const { admin } = service
  const begin = new Date().toISOString()
  const from = { 'x-forwarded-for': '192.0.2.9' }
  const bot = (await olga.client.post('/admin/principals', { name: 'Bot', kind: 'agent' }, from)).json
  const key = (await olga.client.post('/admin/api-keys', { principal: bot.id, name: 'ci', scopes: ['read'] }, from))
    .json
  await olga.client.patch(`/admin/principals/${bot.id}`, { name: 'Robot', disabled: true }, from)
  await olga.client.patch(`/admin/principals/${bot.id}`, { disabled: false }, from)
  await olga.client.patch(`/admin/principals/${bot.id}`, { disabled: false }, from)
  await olga.client.delete(`/admin/api-keys/${key.apiKey.id}`, from)
  await olga.client.post('/spaces', { slug: 'acts', name: 'Acts' }, from)
  await olga.client.patch('/spaces/acts', { visibility: 'private' }, from)
  const member = { json: { role: 'editor' }, headers: from }
  await olga.client.call('PUT', `/spaces/acts/members/${bot.id}`, member)
  await olga.client.call('PUT', `/spaces/acts/members/${bot.id}`, member)
  await olga.client.delete(`/spaces/acts/members/${bot.id}`, from)
  await olga.client.delete('/spaces/acts', from)

  const entries = (await admin.all(`/admin/audit?actor=${olga.id}&since=${begin}&limit=3`)).reverse()
  const robot = { type: 'principal', id: bot.id, name: 'Robot' }
  const apiKey = { type: 'api_key', id: key.apiKey.id, name: 'ci' }
  const acts = { type: 'space', id: 'acts', name: 'Acts' }
  const who = { id: bot.id, name: 'Robot', kind: 'agent' }
  assert.deepEqual(
    entries.map(({ action, target, details }) => [action, target, details]),
    [
      ['principal.created', { ...robot, name: 'Bot' }, { kind: 'agent', role: 'member' }],
      ['api_key.created', apiKey, { principal: { ...who, name: 'Bot' }, scopes: ['read'] }],
      ['principal.updated', robot, { name: { from: 'Bot', to: 'Robot' } }],
      ['principal.disabled', robot, {}],
      ['principal.enabled', robot, {}],
      ['api_key.revoked', apiKey, { principal: who }],
      ['space.created', acts, {}],
      ['space.updated', acts, { visibility: 'private' }],
      ['space.member_set', acts, { principal: who, role: 'editor' }],
      ['space.member_removed', acts, { principal: who, previousRole: 'editor' }],
      ['space.deleted', acts, { forced: false }],
    ],
  )
  for (const { address, actor, createdAt: at } of entries) {
    assert.equal(address, '192.0.2.9')
    assert.deepEqual(actor, { id: olga.id, name: 'Olga', kind: 'human' })
    assert.ok(at >= begin && at <= new Date().toISOString())
  }
  assert.ok(!JSON.stringify(entries).includes(key.secret))
})

test('the log is filtered by actor, action, target and time', async () => {
  const { admin } = service
  const ida = await newPerson(admin, 'Ida')
  const count = async (query: string) => (await admin.all(`/admin/audit?${query}`)).length
  assert.equal(await count(`target=${ida.id}`), 1)
  assert.equal(await count(`target=${ida.id}&action=principal.created`), 1)
  assert.equal(await count(`target=${ida.id}&action=principal.updated`), 0)
  assert.equal(await count(`actor=${ida.id}`), 0)
  const [{ createdAt: at }] = await admin.all(`/admin/audit?target=${ida.id}`)
  assert.equal(await count(`target=${ida.id}&since=${at}`), 1)
  assert.equal(await count(`target=${ida.id}&until=${at}`), 0)
  for (const query of ['since=yesterday', 'until=1', 'actor=x', 'limit=0', 'who=me']) {
    assertProblem(await admin.get(`/admin/audit?${query}`), 400, 'invalid_request')
  }
  const { nextCursor } = assertStatus(await admin.get('/admin/audit?limit=1'), 200).json
  assertProblem(await admin.get(`/admin/audit?action=x&cursor=${nextCursor}`), 400, 'invalid_cursor')
})

test('an action that failed is not in the audit log', async () => {
  const { admin } = service
  const before = (await admin.all('/admin/audit')).length
  assertProblem(await admin.post('/spaces', { slug: 'personal' }), 409, 'slug_taken')
  assertProblem(await admin.delete('/spaces/absent'), 404, 'not_found')
  assert.equal((await admin.all('/admin/audit')).length, before)
})

test('a slug that an invisible space has is a conflict, and the audit log records it', async () => {
  const { admin } = service
  await admin.space('veiled', { visibility: 'private', name: 'Veiled' })
  await admin.space('plain')
  const mel = await newPerson(admin, 'Mel')
  const begin = new Date().toISOString()
  assertProblem(await mel.client.post('/spaces', { slug: 'veiled' }), 409, 'slug_taken')
  assertProblem(await mel.client.post('/spaces', { slug: 'plain' }), 409, 'slug_taken')
  assertStatus(await mel.client.post('/spaces', { slug: 'mine' }), 201)
  assertProblem(await mel.client.patch('/spaces/mine', { slug: 'veiled' }), 409, 'slug_taken')
  const [template] = (await mel.client.get('/space-templates')).json.items
  const from = `/space-templates/${template.source}/${template.id}/spaces`
  assertProblem(await mel.client.post(from, { slug: 'veiled' }), 409, 'slug_taken')
  const found = await admin.all(`/admin/audit?action=space.slug_conflict&since=${begin}`)
  assert.deepEqual(
    found.map(({ actor, target }) => [actor.id, target]),
    Array.from({ length: 3 }, () => [mel.id, { type: 'space', id: 'veiled', name: 'Veiled' }]),
  )
})
