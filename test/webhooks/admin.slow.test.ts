import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { readJson, withSharedData } from '../support/shared-data.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const input = { url: 'https://hooks.example.test/in', events: ['page.created'] }

async function create(more: Readonly<Record<string, unknown>> = {}) {
  return assertStatus(await admin.post('/admin/webhooks', { ...input, ...more }), 201)
}

test('creating a webhook returns 201 with its secret, no-store', async () => {
  const answer = await create({ spaceSlug: 'docs', description: 'To the chat' })
  const { webhook, secret } = answer.json
  const me = (await admin.get('/me')).json
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('location'), `${service.app.address}/admin/webhooks/${webhook.id}`)
  assert.deepEqual(webhook, {
    id: webhook.id,
    url: input.url,
    format: 'json',
    events: ['page.created'],
    spaceSlug: 'docs',
    description: 'To the chat',
    enabled: true,
    disabledReason: null,
    createdAt: webhook.createdAt,
    createdBy: { id: me.id, name: me.name, kind: me.kind },
    updatedAt: webhook.createdAt,
  })
})

test('no response other than creation and rotation contains a secret', async () => {
  const { webhook, secret } = (await create()).json
  const path = `/admin/webhooks/${webhook.id}`
  const patched = await admin.patch(path, { description: 'x' })
  for (const answer of [
    patched,
    await admin.get(path),
    await admin.get('/admin/webhooks'),
    await admin.get('/admin/audit'),
  ])
    assert.ok(!answer.text.includes('whsec_') && !answer.text.includes(secret.slice(6)))
})

test('the list of webhooks is paginated and contains the event kinds', async () => {
  for (let n = 0; n < 3; n++) await create()
  const first = assertStatus(await admin.get('/admin/webhooks?limit=2'), 200).json
  assert.equal(first.items.length, 2)
  assert.deepEqual(first.eventKinds, [
    'page.created',
    'page.updated',
    'page.deleted',
    'page.restored',
    'page.moved',
    'page.metadata.updated',
    'page.verified',
    'page.unverified',
    'file.created',
    'file.updated',
    'file.moved',
    'file.deleted',
    'space.created',
    'space.updated',
    'space.deleted',
    'changeRequest.opened',
    'changeRequest.updated',
    'changeRequest.reviewed',
    'changeRequest.merged',
    'changeRequest.closed',
    'comment.created',
    'comment.updated',
    'thread.resolved',
    'thread.reopened',
  ])
  const all = await admin.all('/admin/webhooks?limit=2')
  assert.deepEqual(all, (await admin.get('/admin/webhooks?limit=200')).json.items)
  assertProblem(await admin.get('/admin/webhooks?cursor=x'), 400, 'invalid_cursor')
})

test('missing, unknown and mistyped members are rejected with their pointer', async () => {
  const rejected: readonly (readonly [unknown, string?])[] = [
    [{ url: input.url }],
    [{ events: input.events }],
    [{ ...input, events: [] }],
    [{ ...input, events: 'page.created' }],
    [{ ...input, events: ['page.exploded'] }],
    [{ ...input, events: ['webhook.test'] }],
    [{ ...input, events: ['*', 'webhook.test'] }],
    [{ ...input, url: 7 }],
    [{ ...input, enabled: true }],
    [{ ...input, secret: 'whsec_mine' }],
    [{ ...input, spaceSlug: 'nowhere' }],
    [{ ...input, spaceSlug: 'personal' }],
    [{ ...input, spaceSlug: 'No Slug' }, 'invalid_slug'],
    [{ ...input, description: 'NUL \0' }],
    [[]],
  ]
  for (const [body, code = 'invalid_request'] of rejected)
    assertProblem(await admin.post('/admin/webhooks', body), 400, code)
  const { webhook } = (await create()).json
  for (const body of [{}, { events: [] }, { enabled: 'yes' }, { id: uuid7() }, { spaceSlug: 'nowhere' }])
    assertProblem(await admin.patch(`/admin/webhooks/${webhook.id}`, body), 400, 'invalid_request')
})

test('PATCH updates the given members only', async () => {
  const { webhook } = (await create({ spaceSlug: 'docs', description: 'a' })).json
  const path = `/admin/webhooks/${webhook.id}`
  const patch = async (change: unknown) => assertStatus(await admin.patch(path, change), 200).json
  assert.equal((await patch({ enabled: false })).enabled, false)
  const changed = await patch({
    url: 'https://other.example/',
    events: ['*', 'page.moved', '*'],
    spaceSlug: null,
    description: null,
    enabled: true,
  })
  assert.deepEqual(changed, {
    ...webhook,
    url: 'https://other.example/',
    events: ['*', 'page.moved'],
    spaceSlug: null,
    description: null,
    updatedAt: changed.updatedAt,
  })
  assert.deepEqual((await admin.get(path)).json, changed)
  assertProblem(await admin.patch(path, { url: 'https://127.0.0.1/' }), 400, 'webhook_url_private')
  assert.deepEqual((await admin.get(path)).json, changed)
})

test('the error for a rejected URL has one of three codes', async () => {
  const post = (url: string) => admin.post('/admin/webhooks', { ...input, url })
  assertProblem(await post('http://example.com/'), 400, 'webhook_url_not_https')
  assertProblem(await post('https://[::ffff:7f00:1]/'), 400, 'webhook_url_private')
  for (const url of ['ftp://example.com/', 'https://u:p@example.com/', 'https://example.com:0/', 'nonsense'])
    assertProblem(await post(url), 400, 'webhook_url_invalid')
})

test('each URL of the shared edge cases is accepted or rejected as expected', withSharedData, async () => {
  const { vectors } = readJson<{ vectors: { url: string; expect: string; sure?: boolean }[] }>('webhook-url-edges.json')
  const { urls } = readJson<{ urls: { url: string; accepted: boolean }[] }>('address-vectors.json')
  const cases = [
    ...vectors.map(({ url, expect }) => ({ url, expect })),
    ...urls.map(({ url, accepted }) => ({ url, expect: accepted ? 'accept' : 'reject' })),
  ]
  for (const { url, expect } of cases) {
    // Subscribed to what cannot happen here, and removed: nothing is ever sent to it.
    const answer = await admin.post('/admin/webhooks', { url, events: ['page.restored'], spaceSlug: 'docs' })
    if (answer.status === 201) await admin.delete(`/admin/webhooks/${answer.json.webhook.id}`)
    if (expect === 'reject') assert.equal(answer.status, 400, url)
    if (expect === 'accept' || expect === 'dns') assert.equal(answer.status, 201, url)
    assert.ok([201, 400].includes(answer.status), url)
  }
})

test('rotation returns a new secret, with a grace time of 0 to 604800 seconds', async () => {
  const { webhook, secret } = (await create()).json
  const path = `/admin/webhooks/${webhook.id}/rotate-secret`
  const answer = assertStatus(await admin.post(path), 200)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.json.webhook.id, webhook.id)
  assert.match(answer.json.secret, /^whsec_/)
  assert.notEqual(answer.json.secret, secret)
  assertStatus(await admin.post(path, { graceSeconds: 0 }), 200)
  assertStatus(await admin.post(path, { graceSeconds: 604_800 }), 200)
  for (const body of [{ graceSeconds: -1 }, { graceSeconds: 604_801 }, { graceSeconds: 1.5 }, { grace: 1 }])
    assertProblem(await admin.post(path, body), 400, 'invalid_request')
})

test('DELETE returns 204, and the webhook is not found afterwards', async () => {
  const { webhook } = (await create()).json
  const path = `/admin/webhooks/${webhook.id}`
  assertStatus(await admin.delete(path), 204)
  assertProblem(await admin.delete(path), 404, 'not_found')
  assertProblem(await admin.get(path), 404, 'not_found')
  assertProblem(await admin.patch(path, { enabled: false }), 404, 'not_found')
  assertProblem(await admin.get(`${path}/deliveries`), 404, 'not_found')
  for (const deed of ['rotate-secret', 'test', `deliveries/${uuid7()}/redeliver`])
    assertProblem(await admin.post(`${path}/${deed}`), 404, 'not_found')
  assertProblem(await admin.get('/admin/webhooks/not-an-id'), 404, 'not_found')
})

test('every webhook endpoint requires an organisation admin', async () => {
  const { webhook } = (await create()).json
  const { client: member } = await newPerson(admin, 'Member')
  const { client: limited } = await newPerson(admin, 'Limited', { role: 'admin', spaces: ['docs'] })
  const { client: writer } = await newPerson(admin, 'Writer', { role: 'admin', scopes: ['write'] })
  const path = `/admin/webhooks/${webhook.id}`
  const calls: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/admin/webhooks'],
    ['POST', '/admin/webhooks', input],
    ['GET', path],
    ['PATCH', path, { enabled: false }],
    ['DELETE', path],
    ['POST', `${path}/rotate-secret`],
    ['POST', `${path}/test`],
    ['GET', `${path}/deliveries`],
    ['GET', `${path}/deliveries/${uuid7()}`],
    ['POST', `${path}/deliveries/${uuid7()}/redeliver`],
    ['PATCH', `/admin/webhooks/${uuid7()}`, { enabled: false }],
  ]
  for (const [method, address, json] of calls) {
    const options = json === undefined ? {} : { json }
    for (const client of [member, limited, writer])
      assertProblem(await client.call(method, address, options), 403, 'forbidden')
    assertProblem(await service.nobody.call(method, address, options), 401, 'unauthorized')
  }
  assert.equal((await admin.get(path)).json.enabled, true)
})

test('the key that seals secrets is a file with mode 600 in the data folder and survives a restart', async () => {
  const path = join(service.data, 'secret-key')
  const key = readFileSync(path, 'utf8')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(Buffer.from(key, 'base64').length, 32)
  await service.restart()
  admin = service.admin
  assert.equal(readFileSync(path, 'utf8'), key)
})

test('each change of a webhook is audited, without the path of the URL', async () => {
  const { webhook } = (await create({ url: 'https://chat.example/T0/B0/secret-token' })).json
  const path = `/admin/webhooks/${webhook.id}`
  await admin.patch(path, { enabled: false })
  await admin.post(`${path}/rotate-secret`, { graceSeconds: 5 })
  await admin.delete(path)
  const answer = await admin.get(`/admin/audit?target=${webhook.id}`)
  assert.deepEqual(
    assertStatus(answer, 200).json.items.map(({ action }: { action: string }) => action),
    ['webhook.deleted', 'webhook.secret_rotated', 'webhook.updated', 'webhook.created'],
  )
  assert.equal(answer.json.items[0].target.name, 'chat.example')
  assert.ok(!answer.text.includes('secret-token'))
})
