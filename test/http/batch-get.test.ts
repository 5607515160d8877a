import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '200' })
  admin = service.admin
  await admin.space('docs')
  await admin.space('private', { visibility: 'private' })
  assertStatus(await admin.put('/pages/docs/one', '# One'), 201)
  assertStatus(await admin.put('/pages/docs/one', '# One again', { 'if-match': '*' }), 200)
  assertStatus(await admin.put('/pages/private/one', '# Hidden'), 201)
  assertStatus(await admin.put('/pages/docs/former', 'moved'), 201)
  const move = { to: { path: 'present' } }
  assertStatus(await admin.post('/pages/docs/former/move', move, { 'if-match': '*' }), 200)
  assertStatus(await admin.put('/pages/docs/gone', 'gone'), 201)
  assertStatus(await admin.delete('/pages/docs/gone', { 'if-match': '*' }), 204)
})
after(() => service[Symbol.asyncDispose]())

const batch = (client: Client, pages: unknown) => client.post('/pages/batch-get', { pages })
const inDocs = (path: string, version?: number) => ({ space: 'docs', path, ...(version && { version }) })
// biome-ignore lint/suspicious/noExplicitAny: items of every outcome
const itemsOf = async (client: Client, pages: unknown): Promise<any[]> =>
  assertStatus(await batch(client, pages), 200).json.items

test('a batch has each page as a request for it alone has it, in order', async () => {
  const items = await itemsOf(admin, [inDocs('present'), inDocs('one'), inDocs('one', 1), inDocs('one')])
  const json = { accept: 'application/json' }
  const alone = [
    await admin.get('/pages/docs/present', json),
    await admin.get('/pages/docs/one', json),
    await admin.get('/pages/docs/one?version=1', json),
    await admin.get('/pages/docs/one', json),
  ].map((answer) => assertStatus(answer, 200).json)
  assert.deepEqual(
    items.map(({ page }) => page),
    alone,
  )
  assert.deepEqual([items[2].status, items[2].page.body], [200, '# One'])
})

test('a moved page is followed, and an error of one page leaves the others', async () => {
  const [moved, missing, gone, version, slug, path, one] = await itemsOf(admin, [
    inDocs('former'),
    inDocs('missing'),
    inDocs('gone'),
    inDocs('one', 9),
    { space: 'No Slug', path: 'x' },
    inDocs('a//b'),
    inDocs('one'),
  ])
  assert.deepEqual([moved.path, moved.status, moved.page.path], ['former', 200, 'present'])
  const codes = [missing, gone, version, slug, path].map(({ status, error }) => `${status} ${error.code}`)
  assert.deepEqual(codes, [
    '404 not_found',
    '410 page_deleted',
    '404 not_found',
    '400 invalid_slug',
    '400 invalid_path',
  ])
  assert.equal(one.page.title, 'One again')
})

test('a page that the caller cannot see is like one that does not exist', async () => {
  const { client } = await newPerson(admin, 'Outsider', { scopes: ['read'] })
  const [hidden, missing] = await itemsOf(client, [
    { space: 'private', path: 'one' },
    { space: 'none', path: 'one' },
  ])
  assert.deepEqual(
    [hidden.status, hidden.error.code, hidden.error.detail.replace('private', 'none')],
    [missing.status, missing.error.code, missing.error.detail],
  )
})

test('a batch has 1 to 100 pages of at most 8 MiB in total', async () => {
  for (const pages of [undefined, [], 'docs/one', Array.from({ length: 101 }, () => inDocs('one')), [{}]]) {
    assertProblem(await batch(admin, pages), 400, 'invalid_request')
  }
  const body = `# Large\n\n${'täxt '.repeat(158_000)}`
  assertStatus(await admin.put('/pages/docs/large', body), 201)
  const items = await itemsOf(admin, [...Array.from({ length: 10 }, () => inDocs('large')), inDocs('one')])
  assert.deepEqual(
    items.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 200, 200, 413, 413, 200],
  )
})

test('each page of a batch counts as a request of the rate limit', async () => {
  const { client } = await newPerson(admin, 'Reader')
  const pages = Array.from({ length: 100 }, () => inDocs('missing'))
  assertStatus(await batch(client, pages), 200)
  assertStatus(await batch(client, pages), 200)
  assertProblem(await batch(client, pages), 429, 'too_many_requests')
})
