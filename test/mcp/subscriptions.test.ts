import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAgent } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service

before(async () => {
  service = await startService({ SVC_MAX_STREAMS_PER_KEY: '2' })
  await service.admin.space('docs')
  await service.admin.space('secret', { visibility: 'private' })
  await put('docs/a')
  await put('docs/b')
  await put('secret/s')
  // A transaction of another test holds back the latest events: a subscription that begins now would have them as well.
  await until(async () => {
    const { items } = assertStatus(await service.admin.get('/changes'), 200).json
    return items.some(({ page }: { page?: { path: string } }) => page?.path === 's')
  })
})
after(() => service[Symbol.asyncDispose]())

async function put(page: string): Promise<void> {
  assertStatus(await service.admin.put(`/pages/${page}`, `# ${page}\n`), 201)
}

async function change(page: string): Promise<void> {
  const edits = [{ op: 'append', text: 'more' }]
  assertStatus(await service.admin.patch(`/pages/${page}`, { edits }, { 'if-match': '*' }), 200)
}

function newReader(name: string): Promise<Person> {
  return newPerson(service.admin, name, { kind: 'agent', scopes: ['read'] })
}

/** A subscriber, and what it has heard. */
async function subscriber(key: string | undefined, pages: readonly string[]) {
  const agent = await connectAgent(service.app.address, key, true)
  const heard: string[] = []
  agent.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri.replace('recto://pages/', ''))
  })
  agent.client.setNotificationHandler('notifications/resources/list_changed', () => {
    heard.push('resources')
  })
  agent.client.setNotificationHandler('notifications/prompts/list_changed', () => {
    heard.push('prompts')
  })
  const subscription = await agent.client.listen({
    resourcesListChanged: true,
    promptsListChanged: true,
    resourceSubscriptions: pages.map((page) => `recto://pages/${page}`),
  })
  return { agent, heard, subscription, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() }
}

/** Waits until everything before it was heard: a change of this page comes last. */
async function heardAll({ heard }: { readonly heard: readonly string[] }): Promise<readonly string[]> {
  const before = heard.filter((name) => name === 'docs/b').length
  await change('docs/b')
  await until(() => heard.filter((name) => name === 'docs/b').length > before)
  return heard.filter((name) => name !== 'docs/b')
}

test('a subscriber hears of changes of its resources, and of the lists of resources and prompts', async () => {
  await using one = await subscriber(service.admin.key, ['docs/a', 'docs/b', 'docs/c', 'docs'])
  await change('docs/a')
  await service.admin.patch('/pages/docs/a/metadata', { set: { status: 'x' } })
  assert.deepEqual(await heardAll(one), ['docs', 'docs/a', 'docs'])
  one.heard.length = 0
  const to = { space: 'docs', path: 'c' }
  assertStatus(await service.admin.post('/pages/docs/a/move', { to }, { 'if-match': '*' }), 200)
  assert.deepEqual((await heardAll(one)).toSorted(), ['docs', 'docs', 'docs/a', 'docs/c', 'resources'])
  one.heard.length = 0
  await put('docs/templates/t')
  assert.deepEqual((await heardAll(one)).toSorted(), ['docs', 'docs', 'prompts', 'resources'])
  await one.subscription.close()
  assert.equal(await one.subscription.closed, 'local')
})

test('a subscriber hears nothing of pages that it cannot read, nor of those that it can read no more', async () => {
  const reader = await newReader('reader')
  await using one = await subscriber(reader.key, ['docs/b', 'secret/s', 'secret', 'secret/none'])
  assert.deepEqual(one.subscription.honoredFilter.resourceSubscriptions?.length, 4)
  await change('secret/s')
  await put('secret/new')
  assert.deepEqual(await heardAll(one), [])
  const member = `/spaces/secret/members/${reader.id}`
  assertStatus(await service.admin.call('PUT', member, { json: { role: 'viewer' } }), 201)
  await change('secret/s')
  assert.deepEqual((await heardAll(one)).toSorted(), ['secret', 'secret/s'])
  one.heard.length = 0
  assertStatus(await service.admin.delete(member), 204)
  await change('secret/s')
  assert.deepEqual(await heardAll(one), [])
})

test('a subscription ends with its key', async () => {
  const reader = await newReader('revoked')
  await using one = await subscriber(reader.key, ['docs/b'])
  assertStatus(await service.admin.delete(`/admin/api-keys/${reader.keyId}`), 204)
  assert.equal(await one.subscription.closed, 'graceful')
})

test('open subscriptions count as streams of the key', async () => {
  const reader = await newReader('many')
  await using _one = await subscriber(reader.key, ['docs/b'])
  await using two = await subscriber(reader.key, ['docs/b'])
  await assert.rejects(subscriber(reader.key, ['docs/b']), /429|streams and long polls/)
  assert.equal((await service.as(reader.key).get('/changes?wait=1&since=now')).status, 429)
  await two.subscription.close()
  await until(async () => (await service.as(reader.key).get('/changes?wait=1&since=now')).status === 200)
})

test('a subscription has at most 1,000 resources; one of nothing ends at once', async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => `docs/${n}`)
  await assert.rejects(subscriber(service.admin.key, many), /at most 1000 resources/)
  await using agent = await connectAgent(service.app.address, service.admin.key, true)
  const nothing = await agent.client.listen({ toolsListChanged: true })
  assert.equal(await nothing.closed, 'graceful')
})
