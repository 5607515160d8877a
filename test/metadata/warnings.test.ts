import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAgent, textOf } from '../support/agent.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
let reader: Client
before(async () => {
  service = await startService()
  const { admin } = service
  await admin.space('docs')
  await admin.space('hidden', { visibility: 'private' })
  const pages = { 'docs/a': { due: '2026-01-01' }, 'docs/b': {}, 'hidden/c': { secret: 1, due: '2026-01-01' } }
  for (const [page, metadata] of Object.entries(pages)) {
    assertStatus(await admin.call('PUT', `/pages/${page}`, { json: { body: 'words', metadata } }), 201)
  }
  reader = (await newPerson(admin, 'reader')).client
})
after(() => service[Symbol.asyncDispose]())

/** The keys of the warnings of a query, by the part that has them. */
async function warned(query: Record<string, unknown>, list = '/search/metadata', client = reader) {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const words = Object.entries(query).map(([name, value]) => [name, text(value)])
  const answer = await client.get(`${list}?${new URLSearchParams(Object.fromEntries(words))}`)
  assertStatus(answer, 200)
  return answer.json.warnings?.map(({ path, key }: { path: string; key: string }) => `${path}: ${key}`)
}

test('a filter or an order by a key that no visible page has is answered with a warning, and one by a known key is not', async () => {
  for (const op of ['eq', 'neq', 'gt', 'lte', 'contains']) {
    assert.deepEqual(await warned({ filters: [{ key: 'dew', op, value: 1 }] }), ['filters/0/key: dew'], op)
    assert.equal(await warned({ filters: [{ key: 'due', op, value: 1 }] }), undefined, op)
  }
  for (const op of ['exists', 'missing']) {
    const filters = [
      { key: 'due', op: 'exists' },
      { key: 'dew', op },
    ]
    assert.deepEqual(await warned({ filters }), ['filters/1/key: dew'], op)
    assert.equal(await warned({ filters: [{ key: 'due', op }] }), undefined, op)
  }
  assert.deepEqual(await warned({ orderBy: 'dew' }), ['orderBy: dew'])
  assert.deepEqual(await warned({ orderBy: 'dew', filters: [{ key: 'x', op: 'exists' }] }), [
    'filters/0/key: x',
    'orderBy: dew',
  ])
  assert.equal(await warned({ orderBy: 'due', order: 'desc' }), undefined)
  // A query without result, by keys that are in use.
  assert.equal(await warned({ orderBy: 'due', filters: [{ key: 'due', op: 'lt', value: '1999-01' }] }), undefined)
  const filters = [{ key: 'dew', op: 'exists' }]
  assert.deepEqual(await warned({ q: 'words', filters }, '/search'), ['filters/0/key: dew'])
  assert.equal(await warned({ q: 'words', filters: [{ key: 'due', op: 'exists' }] }, '/search'), undefined)
})

test('a key of hidden pages, of the trash, or of no page is answered with the same warning', async () => {
  for (const filters of [[{ key: 'secret', op: 'exists' }], [{ key: 'secret', op: 'missing' }]])
    assert.deepEqual(await warned({ filters }), ['filters/0/key: secret'])
  assert.deepEqual(await warned({ orderBy: 'secret' }), ['orderBy: secret'])
  assert.equal(await warned({ orderBy: 'secret' }, '/search/metadata', service.admin), undefined)
  assertStatus(await service.admin.call('PUT', '/pages/docs/gone', { json: { body: '', metadata: { old: 1 } } }), 201)
  assert.equal(await warned({ orderBy: 'old' }), undefined)
  assertStatus(await service.admin.call('DELETE', '/pages/docs/gone', { headers: { 'if-match': '*' } }), 204)
  assert.deepEqual(await warned({ orderBy: 'old' }), ['orderBy: old'])
  const sealed = { body: '', metadata: { sealed: 1 } }
  assertStatus(await service.admin.call('PUT', '/pages/docs/vault/page', { json: sealed }), 201)
  assert.equal(await warned({ orderBy: 'sealed' }), undefined)
  const rule = { read: [], write: [] }
  assertStatus(await service.admin.call('PUT', '/spaces/docs/rules/vault', { json: rule }), 201)
  assert.deepEqual(await warned({ orderBy: 'sealed' }), ['orderBy: sealed'])
})

test('a bulk change, the tools, the command line and the screens show the warning', async () => {
  const { admin, app } = service
  const filters = [{ key: 'dew', op: 'exists' }]
  const batch = await admin.call('POST', '/metadata/batch', { json: { filters, set: { x: 1 } } })
  assert.equal(batch.json.warnings[0].key, 'dew')
  await using agent = await connectAgent(app.address, admin.key)
  const warning = 'Warning: No page that you can read has the metadata key "dew".'
  for (const [tool, args] of [
    ['context_query_metadata', { filters }],
    ['context_query_metadata', { orderBy: 'dew' }],
    ['context_search', { query: 'words', filters }],
    ['context_update_metadata', { filters, set: { x: 1 } }],
  ] as const) {
    assert.ok(
      textOf(await agent.call(tool, args))
        .split('\n')
        .includes(warning),
      tool,
    )
    assert.equal((await agent.data(tool, args)).warnings[0].key, 'dew', tool)
  }
  const env = { RECTO_URL: app.address, RECTO_API_KEY: admin.key ?? '' }
  for (const words of [
    ['meta', 'query', 'dew=1'],
    ['meta', 'query', '--order-by', 'dew'],
    ['search', 'words', '--filter', 'dew'],
  ]) {
    assert.ok((await runCommand(words, env)).err.split('\n').includes(warning), words.join(' '))
  }
  for (const url of [
    '/views/docs?by=dew',
    '/views?key=dew&op=exists&value=',
    '/find?q=words&key=dew&op=exists&value=',
  ]) {
    const { text } = await admin.call('GET', url, { headers: { accept: 'text/html' } })
    assert.match(text, /No page that you can read has the property <bdi><strong>dew<\/strong>/, url)
  }
})
