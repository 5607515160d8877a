import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

async function pages(...paths: string[]): Promise<void> {
  for (const path of paths) assertStatus(await service.admin.put(`/pages/docs/${path}`, `# ${path}`), 201)
}

const at = (path: string) => ({ space: 'docs', path })
const patchAll = (body: object, headers: Record<string, string> = {}) =>
  service.admin.post('/metadata/batch', body, headers)
const writeAll = (operations: object[], headers: Record<string, string> = {}) =>
  service.admin.post('/pages/batch', { operations }, headers)
const metadata = async (path: string) => (await service.admin.get(`/pages/docs/${path}/metadata`)).json.metadata
const statuses = (answer: { json: { items: { status: number }[] } }) => answer.json.items.map(({ status }) => status)

test('a batch changes the metadata of pages; each page has its own outcome', async () => {
  await pages('m1', 'm2')
  const etag = (await service.admin.get('/pages/docs/m2/metadata')).headers.get('etag')
  const body = {
    pages: [at('m1'), at('absent'), { ...at('m2'), ifMatch: etag }],
    set: { status: 'done' },
    appendUnique: { tags: ['a'] },
  }
  const { json } = assertStatus(await patchAll(body), 200)
  assert.deepEqual(json.items[0], { ...at('m1'), status: 200, changedKeys: ['status', 'tags'] })
  assert.equal(json.items[1].error.code, 'not_found')
  assert.deepEqual(await metadata('m2'), { status: 'done', tags: ['a'] })
  const again = assertStatus(await patchAll({ ...body, set: { status: 'new' } }), 200)
  assert.deepEqual(statuses(again), [200, 404, 412])
  assert.deepEqual([(await metadata('m1')).status, (await metadata('m2')).status], ['new', 'done'])
})

test('a dry run of a batch changes nothing', async () => {
  await pages('d1')
  const { json } = assertStatus(await patchAll({ pages: [at('d1')], set: { a: 1, b: null }, dryRun: true }), 200)
  assert.deepEqual(json, { dryRun: true, items: [{ ...at('d1'), status: 200, changedKeys: ['a'] }], nextCursor: null })
  assert.deepEqual(await metadata('d1'), {})
})

test('an atomic batch of metadata changes all pages or none', async () => {
  await pages('x1', 'x2')
  const body = { pages: [at('x2'), at('x1')], append: { log: 'one' }, atomic: true }
  assert.deepEqual(statuses(assertStatus(await patchAll(body), 200)), [200, 200])
  await service.admin.patch('/pages/docs/x2/metadata', { set: { log: 'text' } })
  assertProblem(await patchAll(body), 400, 'not_an_array')
  assert.deepEqual(await metadata('x1'), { log: ['one'] })
})

test('atomic batches in opposite orders do not block each other', async () => {
  await pages('o1', 'o2', 'o3')
  const orders = [
    ['o1', 'o2', 'o3'],
    ['o3', 'o2', 'o1'],
    ['o2', 'o3', 'o1'],
  ]
  const answers = await Promise.all(
    [...orders, ...orders].map((order, index) =>
      patchAll({ pages: order.map(at), append: { log: index }, atomic: true }),
    ),
  )
  for (const answer of answers) assertStatus(answer, 200)
  for (const path of ['o1', 'o2', 'o3']) assert.equal((await metadata(path)).log.length, 6)
})

test('a batch of metadata by a query goes on with a cursor', async () => {
  const paths = Array.from({ length: 101 }, (_, index) => `q/${index}`)
  await writeAll(paths.slice(0, 100).map((path) => ({ op: 'put', ...at(path), body: '# Q', metadata: { q: 1 } })))
  await writeAll([{ op: 'put', ...at('q/100'), body: '# Q', metadata: { q: 1 } }])
  const body = { filters: [{ key: 'q', op: 'eq', value: 1 }], space: 'docs', set: { seen: true } }
  const first = assertStatus(await patchAll(body), 200).json
  assert.equal(first.items.length, 100)
  const second = assertStatus(await patchAll({ ...body, cursor: first.nextCursor }), 200).json
  assert.deepEqual([second.items.length, second.nextCursor], [1, null])
})

test('a batch of metadata names distinct pages or filters, and a patch', async () => {
  await pages('n1')
  const set = { a: 1 }
  for (const body of [
    { set },
    { pages: [], set },
    { pages: [at('n1')], filters: [], set },
    { pages: [at('n1'), at('n1')], set },
    { pages: [at('n1')] },
    { pages: Array.from({ length: 101 }, (_, index) => at(`${index}`)), set },
    { filters: [{ key: 'a', op: 'eq', value: '\0' }], set },
  ]) {
    assertProblem(await patchAll(body), 400, 'invalid_request')
  }
})

test('a batch writes, edits and deletes pages in order; each has its own precondition and outcome', async () => {
  await pages('w1', 'w2', 'w3')
  const answer = assertStatus(
    await writeAll([
      { op: 'put', ...at('new'), body: '# New', ifNoneMatch: '*', note: 'first' },
      { op: 'put', ...at('w1'), body: 'changed' },
      { op: 'put', ...at('w1'), body: 'changed', ifMatch: '"1"' },
      { op: 'patch', ...at('w2'), edits: [{ op: 'append', text: 'more' }], ifMatch: '"1"' },
      { op: 'patch', ...at('w2'), edits: [{ op: 'append', text: 'more' }], ifMatch: '"1"' },
      { op: 'delete', ...at('w3'), ifMatch: '"1"' },
      { op: 'delete', space: 'hidden', path: 'x', ifMatch: '*' },
    ]),
    200,
  )
  assert.deepEqual(statuses(answer), [201, 428, 200, 200, 412, 204, 404])
  const { items } = answer.json
  assert.deepEqual([items[0].page.version, items[0].page.note, items[2].page.version], [1, 'first', 2])
  assert.equal(items[3].changes.length, 1)
  assert.equal(items[4].error.current.version, 2)
  assertStatus(await service.admin.get('/pages/docs/w3'), 410)
  await until(async () => {
    const { json } = await service.admin.get('/changes?space=docs&limit=200&kinds=page.deleted')
    return json.items.some(({ page }: { page: { path: string } }) => page.path === 'w3')
  })
})

test('a retry of a batch with its Idempotency-Key gets the first response', async () => {
  await pages('i1')
  const operations = [{ op: 'patch', ...at('i1'), edits: [{ op: 'append', text: 'once' }], ifMatch: '*' }]
  const key = { 'idempotency-key': 'batch' }
  const first = assertStatus(await writeAll(operations, key), 200)
  const second = assertStatus(await writeAll(operations, key), 200)
  assert.equal(second.headers.get('idempotency-replayed'), 'true')
  assert.equal(second.text, first.text)
  assert.equal((await service.admin.page('/pages/docs/i1')).json.version, 2)
  const body = { pages: [at('i1')], append: { log: 1 } }
  for (let time = 0; time < 2; time++) assertStatus(await patchAll(body, { 'idempotency-key': 'meta' }), 200)
  assert.deepEqual(await metadata('i1'), { log: [1] })
})

test('a batch writes only where its caller may', async () => {
  await pages('r1')
  const { client } = await newPerson(service.admin, 'Reader', { scopes: ['write'] })
  const operations = [{ op: 'delete', ...at('r1'), ifMatch: '*' }]
  assert.deepEqual(statuses(assertStatus(await client.post('/pages/batch', { operations }), 200)), [403])
  const body = { pages: [at('r1')], set: { a: 1 } }
  assert.deepEqual(statuses(assertStatus(await client.post('/metadata/batch', body), 200)), [403])
  assertProblem(await client.post('/metadata/batch', { ...body, atomic: true }), 403, 'forbidden')
})
