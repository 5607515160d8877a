import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { connect, openBrowser, refresh, registerApp } from '../support/oauth.ts'
import { newKey, newPerson } from '../support/people.ts'
import { Provider, startProvisioning } from '../support/scim.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes({ SVC_RATE_LIMIT: '300' })
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

test('an admin switches SCIM on, replaces the token and switches it off; each ends the old token', async () => {
  const off = assertStatus(await admin.get('/admin/scim'), 200).json
  assert.deepEqual(off, {
    enabled: false,
    baseUrl: `${admin.base}/scim/v2`,
    token: null,
    principal: null,
    users: 0,
    groups: 0,
  })
  const { secret, provisioning } = assertStatus(await admin.post('/admin/scim/token'), 201).json
  assert.equal(provisioning.token.hint, secret.slice(0, 9))
  const first = new Provider(admin.base, secret)
  assertStatus(await first.get('/Users'), 200)
  const second = await startProvisioning(admin)
  const elsewhere = (token: string) => new Provider(nodes.admins[1].base, token)
  await until(async () => (await elsewhere(secret).get('/Users')).status === 401)
  assertStatus(await second.get('/Users'), 200)
  await second.user('counted@example.org')
  await until(async () => (await admin.get('/admin/scim')).json.token.lastUsedAt !== null)
  assert.equal((await admin.get('/admin/scim')).json.users, 1)
  assertStatus(await admin.delete('/admin/scim/token'), 204)
  assertStatus(await admin.delete('/admin/scim/token'), 204)
  await until(async () => (await second.get('/Users')).status === 401)
  assert.equal((await admin.get('/admin/scim')).json.enabled, false)
  const actions = (await admin.all('/admin/audit')).map(({ action }) => action)
  assert.deepEqual(
    actions.filter((action: string) => action.startsWith('scim.')),
    ['scim.disabled', 'scim.token_rotated', 'scim.enabled'],
  )
})

test('the token opens nothing but SCIM, and nothing else opens SCIM', async () => {
  await admin.space('docs')
  assertStatus(await admin.put('/pages/docs/a', '# A'), 201)
  const { secret } = assertStatus(await admin.post('/admin/scim/token'), 201).json
  const holder = new Client(admin.base, secret)
  for (const path of [
    '/me',
    '/spaces',
    '/pages/docs/a',
    '/search?q=a',
    '/admin/principals',
    '/changes',
    '/admin/scim',
  ]) {
    assertProblem(await holder.get(path), 401, 'unauthorized')
  }
  const person = await newPerson(admin, 'Ann')
  for (const key of [admin.key, person.key, undefined, 'scim_x', secret.slice(0, -1)]) {
    const answer = assertStatus(await new Provider(admin.base, key).get('/Users'), 401)
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
    assert.equal(answer.json.status, '401')
  }
  assertProblem(await person.client.get('/admin/scim'), 403, 'forbidden')
  assertProblem(await person.client.post('/admin/scim/token'), 403, 'forbidden')
  const missing = await new Provider(admin.base, secret).get('/Nothing')
  assert.deepEqual([missing.status, missing.json.schemas?.[0]], [404, 'urn:ietf:params:scim:api:messages:2.0:Error'])
  assertStatus(await new Provider(admin.base, secret).call('DELETE', '/Users'), 405)
})

test('the service describes itself', async () => {
  const provider = await startProvisioning(admin)
  const config = assertStatus(await provider.get('/ServiceProviderConfig'), 200).json
  assert.deepEqual(
    [config.patch, config.filter, config.etag, config.sort, config.changePassword, config.bulk.supported],
    [
      { supported: true },
      { supported: true, maxResults: 200 },
      { supported: true },
      { supported: false },
      { supported: false },
      false,
    ],
  )
  const types = assertStatus(await provider.get('/ResourceTypes'), 200).json
  assert.deepEqual(
    types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint),
    ['/Users', '/Groups'],
  )
  assertStatus(await provider.get('/ResourceTypes/User'), 200)
  const schemas = assertStatus(await provider.get('/Schemas'), 200).json
  for (const { id, attributes } of schemas.Resources) {
    assert.equal(assertStatus(await provider.get(`/Schemas/${id}`), 200).json.id, id)
    assert.ok(attributes.length > 0)
  }
  assertStatus(await provider.get('/Schemas/none'), 404)
})

test('requests of SCIM are limited, and wrong bodies have errors of SCIM', async () => {
  const provider = await startProvisioning(admin)
  const answer = assertStatus(await provider.get('/Users?count=1'), 200)
  assert.match(answer.headers.get('ratelimit') ?? '', /"default";r=\d+/)
  const client = new Client(admin.base, (await admin.post('/admin/scim/token')).json.secret)
  for (const [body, status] of [
    ['{', 400],
    ['[]', 400],
    ['', 400],
    ['x'.repeat(2_000_000), 413],
  ] as const) {
    const wrong = await client.call('POST', '/scim/v2/Users', {
      body,
      headers: { 'content-type': 'application/scim+json' },
    })
    assert.equal(assertStatus(wrong, status).json.status, String(status))
    if (body === '[]') assert.equal(wrong.json.detail, 'The body is not valid: it must be an object.')
  }
})

test('a person removed by SCIM is out on every node: keys, sessions, streams, connected apps', async () => {
  const provider = await startProvisioning(admin)
  const deactivate = { op: 'Replace', path: 'active', value: 'False' }
  await isOut(provider, (id) => provider.patch(`/Users/${id}`, deactivate))
  await isOut(provider, (id) => provider.call('DELETE', `/Users/${id}`))
})

async function isOut(provider: Provider, remove: (id: string) => Promise<Answer>): Promise<void> {
  const id = await provider.user(`${randomUUID()}@example.org`)
  const { secret } = await newKey(admin, id)
  const elsewhere = nodes.as(1, secret)
  assertStatus(await elsewhere.get('/me'), 200)
  await nodes.query(
    `insert into session (id, hash, principal_id, created_at, last_seen_at, expires_at)
     values (gen_random_uuid(), $1, $2, now(), now(), now() + interval '1 day')`,
    [Buffer.from(id), id],
  )
  const nobody = nodes.as(1, undefined)
  const app = await registerApp(nobody)
  const browser = await openBrowser(nobody.base, secret)
  const tokens = await connect(nobody, browser, app, { resource: nobody.base })
  const asApp = nodes.as(1, tokens.access_token)
  assertStatus(await asApp.get('/me'), 200)
  const stream = await fetch(`${elsewhere.base}/changes`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream' },
  })
  assert.equal(stream.status, 200)
  assert.ok((await remove(id)).status < 300)
  // The stream ends by itself.
  for await (const _ of stream.body ?? []);
  await until(async () => (await elsewhere.get('/me')).status === 401)
  await until(async () => (await asApp.get('/me')).status === 401)
  const renewed = assertStatus(await refresh(nobody, app, tokens.refresh_token), 400)
  assert.equal(renewed.json.error, 'invalid_grant')
  const { rows } = await nodes.query('select 1 from session where principal_id = $1', [id])
  assert.equal(rows.length, 0)
  const actions = (await admin.all(`/admin/audit?target=${id}`)).map(({ action }) => action)
  assert.ok(actions.includes('principal.disabled'))
}
