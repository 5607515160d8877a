import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { newKey, newOwner, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

test('a key is shown once, is not cached, and has its hint in lists', async () => {
  const ada = await newPerson(admin, 'Ada')
  const created = assertStatus(await ada.client.post('/me/api-keys', { name: 'laptop', scopes: ['write'] }), 201)
  assert.equal(created.headers.get('cache-control'), 'no-store')
  assert.match(created.json.secret, /^svc_[0-9A-Za-z]{36}$/)
  assert.deepEqual(created.json.apiKey.scopes, ['read', 'propose', 'write'])
  assert.equal(created.json.apiKey.spaces, null)
  assert.equal(created.json.apiKey.lastUsedAt, null)

  const listed = await ada.client.get('/me/api-keys')
  const key = listed.json.items.find((item: { name: string }) => item.name === 'laptop')
  assert.deepEqual(key, created.json.apiKey)
  assert.equal(key.hint, created.json.secret.slice(0, 8))
  assert.ok(!listed.text.includes(created.json.secret))
})

test('a response may not be cached for other callers', async () => {
  assert.equal((await admin.get('/spaces')).headers.get('cache-control'), 'private, no-cache')
  for (const address of ['/me', '/admin/principals']) {
    assert.equal((await admin.get(address)).headers.get('cache-control'), 'no-store')
  }
})

test('lastUsedAt is updated once a minute', async () => {
  const bea = await newPerson(admin, 'Bea')
  assertStatus(await bea.client.get('/me'), 200)
  for (let used: string | null = null; used === null; ) {
    used = (await bea.client.get('/me/api-keys')).json.items[0].lastUsedAt
    if (used) assert.match(used, /:00\.000Z$/)
  }
})

test('an invalid new key is an error that names the member', async () => {
  const wrong = [
    { name: '', scopes: ['read'] },
    { name: 'k', scopes: [] },
    { name: 'k', scopes: ['root'] },
    { name: 'k' },
    { name: 'k', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' },
    { name: 'k', scopes: ['read'], expiresAt: 'tomorrow' },
    { name: 'k', scopes: ['read'], expiresAt: '2999-13-01T00:00:00Z' },
    { name: 'k', scopes: ['read'], spaces: [] },
    { name: 'k', scopes: ['read'], spaces: ['no-such-space'] },
    { name: 'k', scopes: ['read'], owner: 'me' },
  ]
  for (const input of wrong) assertProblem(await admin.post('/me/api-keys', input), 400, 'invalid_request')
})

test('a key for some spaces gives access to these only; `personal` is the personal space of its principal', async () => {
  await admin.space('alpha')
  await admin.space('beta')
  const cy = await newOwner(admin, 'Cy', { spaces: ['alpha', 'personal'] })
  assertStatus(await cy.client.get('/spaces/alpha'), 200)
  assertStatus(await cy.client.put('/pages/personal/diary', 'mine'), 201)
  assertProblem(await cy.client.get('/spaces/beta'), 404, 'not_found')
  assertProblem(await cy.client.get('/spaces/beta/pages'), 404, 'not_found')
  assertProblem(await cy.client.get('/pages/recent?space=beta'), 404, 'not_found')
  assert.deepEqual(
    (await cy.client.all('/spaces')).map((space) => space.slug),
    ['alpha', 'personal'],
  )
  assert.deepEqual((await cy.client.get('/me/api-keys')).json.items[0].spaces, ['alpha', 'personal'])
  assertProblem(await cy.client.post('/spaces', { slug: 'gamma' }), 403, 'forbidden')
  assertProblem(await cy.client.post('/me/api-keys', { name: 'k', scopes: ['read'] }), 403, 'forbidden')
})

test('a key for a deleted space gives access to nothing, not even to a new space with that slug', async () => {
  await admin.space('short-lived')
  const dee = await newPerson(admin, 'Dee', { spaces: ['short-lived'] })
  assertStatus(await admin.delete('/spaces/short-lived'), 204)
  await admin.space('short-lived')
  assertProblem(await dee.client.get('/spaces/short-lived'), 404, 'not_found')
  assert.deepEqual((await dee.client.get('/me/api-keys')).json.items[0].spaces, [])
})

test('effective permissions are the intersection of scope and role', async () => {
  await admin.space('scoped', { defaultRole: 'editor' })
  const reader = await newPerson(admin, 'Reader', { scopes: ['read'] })
  assertProblem(await reader.client.put('/pages/scoped/x', 'x'), 403, 'forbidden')
  const proposer = await newPerson(admin, 'Proposer', { scopes: ['propose'] })
  assert.deepEqual((await proposer.client.get('/me')).json.scopes, ['read', 'propose'])
  assertStatus(await proposer.client.get('/spaces/scoped/pages'), 200)
  assertProblem(await proposer.client.put('/pages/scoped/x', 'x'), 403, 'forbidden')
  const boss = await newPerson(admin, 'Boss', { role: 'admin', scopes: ['write'] })
  assertStatus(await boss.client.put('/pages/scoped/x', 'x'), 201)
  assertProblem(await boss.client.get('/admin/principals'), 403, 'forbidden')
  assertProblem(await boss.client.patch('/spaces/scoped', { name: 'S' }), 403, 'forbidden')
})

test('a key without the scope admin creates no keys, but revokes itself', async () => {
  const eve = await newPerson(admin, 'Eve', { scopes: ['write'] })
  const other = await newKey(admin, eve.id, { scopes: ['read'] })
  assertProblem(await eve.client.post('/me/api-keys', { name: 'k', scopes: ['read'] }), 403, 'forbidden')
  assertProblem(await eve.client.delete(`/me/api-keys/${other.apiKey.id}`), 403, 'forbidden')
  assertStatus(await eve.client.delete(`/me/api-keys/${eve.keyId}`), 204)
})

test('a list of own keys has no keys of others, and revoked ones only on request', async () => {
  const fay = await newPerson(admin, 'Fay')
  const gus = await newPerson(admin, 'Gus')
  assertProblem(await fay.client.delete(`/me/api-keys/${gus.keyId}`), 404, 'not_found')
  assertProblem(await fay.client.delete('/me/api-keys/x'), 404, 'not_found')
  const more = await newKey(admin, fay.id)
  assertStatus(await fay.client.delete(`/me/api-keys/${more.apiKey.id}`), 204)
  assertStatus(await fay.client.delete(`/me/api-keys/${more.apiKey.id}`), 204)
  assert.equal((await fay.client.all('/me/api-keys')).length, 1)
  assert.equal((await fay.client.all('/me/api-keys?includeRevoked=true')).length, 2)
  assert.equal((await admin.all(`/admin/api-keys?principal=${fay.id}&includeRevoked=true&limit=1`)).length, 2)
})

test('only organisation admins create, list and revoke keys of others', async () => {
  const hal = await newPerson(admin, 'Hal')
  const { client } = hal
  for (const answer of [
    await client.get('/admin/api-keys'),
    await client.post('/admin/api-keys', { principal: hal.id, name: 'k', scopes: ['read'] }),
    await client.delete(`/admin/api-keys/${hal.keyId}`),
    await client.get('/admin/principals'),
    await client.post('/admin/principals', { name: 'I', kind: 'human' }),
    await client.get(`/admin/principals/${hal.id}`),
    await client.patch(`/admin/principals/${hal.id}`, { role: 'admin' }),
    await client.get('/admin/audit'),
  ]) {
    assertProblem(answer, 403, 'forbidden')
  }
  const nobody = '00000000-0000-7000-8000-000000000000'
  const orphan = { principal: nobody, name: 'k', scopes: ['read'] }
  assertProblem(await admin.post('/admin/api-keys', orphan), 404, 'not_found')
  assertProblem(await admin.delete(`/admin/api-keys/${nobody}`), 404, 'not_found')
  assertProblem(await admin.delete('/admin/api-keys/x'), 404, 'not_found')
  assertStatus(await admin.delete(`/admin/api-keys/${hal.keyId}`), 204)
})

test('a mistyped key, another scheme and no key are 401, each with its challenge', async () => {
  const none = assertProblem(await service.nobody.get('/me'), 401, 'unauthorized')
  assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="recto"')
  const typo = await new Client(admin.base, `${admin.key?.slice(0, -1)}~`).get('/me')
  assertProblem(typo, 401, 'unauthorized')
  assert.match(typo.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
  assertProblem(await service.nobody.get('/me', { authorization: 'Basic eDp5' }), 401, 'unauthorized')
})

test('a key of another principal and an unknown key cause the same error', async () => {
  const ida = await newOwner(admin, 'Ida')
  const jan = await newPerson(admin, 'Jan')
  await jan.client.space('hidden', { visibility: 'private' })
  const without = (text: string, word: string) => text.replaceAll(word, '*').replace(/"requestId":"[^"]*"/, '')
  const nobody = '00000000-0000-7000-8000-000000000000'
  const theirs = await ida.client.delete(`/me/api-keys/${jan.keyId}`)
  const none = await ida.client.delete(`/me/api-keys/${nobody}`)
  assert.equal(assertProblem(theirs, 404, 'not_found').json.detail, none.json.detail)
  const keyFor = (slug: string) =>
    ida.client.post('/me/api-keys', { name: 'k', scopes: ['read'], spaces: ['personal', slug] })
  const [hidden, absent] = [await keyFor('hidden'), await keyFor('absent')]
  assertProblem(hidden, 400, 'invalid_request')
  assert.equal(without(hidden.text, 'hidden'), without(absent.text, 'absent'))
})
