import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FILTER_OP_NAMES } from '@recto/contract/filter-ops.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newOwner, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  await service.admin.space('notes')
  for (const [space, path, metadata] of [
    ['docs', 'one', { n: 1, due: '2026-01-01', tags: ['a', 'b'], owner: { name: 'ann', team: 1 } }],
    ['docs', 'two', { n: 2, due: '2026-01-01T09:30:00+02:00', tags: 'a', owner: { name: 'ann' } }],
    ['notes', 'three', { n: '2', due: 'soon', tags: [['a'], { x: 1, y: 2 }] }],
    ['notes', 'four', {}],
    ['personal', 'five', { n: 5 }],
  ] as const) {
    assertStatus(await service.admin.call('PUT', `/pages/${space}/${path}`, { json: { body: '', metadata } }), 201)
  }
})
after(() => service[Symbol.asyncDispose]())

/** The paths that a search finds, in its order. */
async function paths(filters: unknown, more = '', client: Client = service.admin): Promise<string[]> {
  const items = await client.all(`/search/metadata?filters=${encodeURIComponent(JSON.stringify(filters))}${more}`)
  return items.map(({ path }) => path)
}

async function rejected(query: string) {
  return assertProblem(await service.admin.get(`/search/metadata?${query}`), 400, 'invalid_request')
}

test('each operator finds the matching pages', async () => {
  const cases: [unknown, string[]][] = [
    [{ key: 'n', op: 'eq', value: 2.0 }, ['two']],
    [{ key: 'n', op: 'neq', value: 2 }, ['one', 'three', 'five']],
    [{ key: 'n', op: 'exists' }, ['one', 'two', 'three', 'five']],
    [{ key: 'n', op: 'missing' }, ['four']],
    [{ key: 'n', op: 'gt', value: 1 }, ['two', 'five']],
    [{ key: 'n', op: 'lte', value: 2 }, ['one', 'two']],
    [{ key: 'due', op: 'gt', value: '2026-01-01T07:29:59Z' }, ['two']],
    [{ key: 'due', op: 'gte', value: '2026-01-01T00:00:00Z' }, ['one', 'two']],
    [{ key: 'due', op: 'lt', value: '2026-01-01T00:00:00.001Z' }, ['one']],
    [{ key: 'tags', op: 'contains', value: 'a' }, ['one']],
    [{ key: 'tags', op: 'contains', value: ['a'] }, ['three']],
    [{ key: 'tags', op: 'contains', value: { y: 2, x: 1 } }, ['three']],
    [{ key: 'tags', op: 'contains', value: { x: 1 } }, []],
    [{ key: 'owner', op: 'eq', value: { name: 'ann' } }, ['two']],
    [{ key: 'owner', op: 'eq', value: { team: 1, name: 'ann' } }, ['one']],
    [{ key: 'tags', op: 'eq', value: ['b', 'a'] }, []],
    [{ key: 'n', op: 'eq', value: null }, []],
    [{ key: 'n', op: 'in', value: [1, '2', true] }, ['one', 'three']],
    [{ key: 'n', op: 'in', value: [1, 5, null] }, ['one', 'five']],
    [{ key: 'n', op: 'in', value: [] }, []],
    [{ key: 'due', op: 'in', value: ['2026-01-01', 'soon'] }, ['one', 'three']],
    [{ key: 'n', op: 'notIn', value: [1, 2] }, ['three', 'five']],
    [{ key: 'tags', op: 'notIn', value: [['a', 'b'], 'x'] }, ['two', 'three']],
    [{ key: 'n', op: 'notIn', value: [] }, ['one', 'two', 'three', 'five']],
    [{ key: 'due', op: 'startsWith', value: '2026-01' }, ['one', 'two']],
    [{ key: 'due', op: 'startsWith', value: '2026-01-01T' }, ['two']],
    [{ key: 'due', op: 'startsWith', value: 'so' }, ['three']],
    [{ key: 'due', op: 'startsWith', value: '' }, ['one', 'two', 'three']],
    [{ key: 'n', op: 'startsWith', value: '2' }, ['three']],
  ]
  for (const [filter, expected] of cases) {
    assert.deepEqual((await paths([filter])).sort(), [...expected].sort(), JSON.stringify(filter))
  }
})

test('a hundred values are looked for at once', async () => {
  const values = Array.from({ length: 100 }, (_, index) => (index % 2 ? index : `2026-01-${index}`))
  assert.deepEqual(await paths([{ key: 'n', op: 'in', value: values }]), ['one', 'five'])
  assert.deepEqual(await paths([{ key: 'n', op: 'notIn', value: values }]), ['two', 'three'])
})

test('all filters must match, and without filters every page is found', async () => {
  assert.deepEqual(
    await paths([
      { key: 'n', op: 'gte', value: 1 },
      { key: 'n', op: 'lt', value: 5 },
      { key: 'due', op: 'exists' },
    ]),
    ['one', 'two'],
  )
  const items = await service.admin.all('/search/metadata')
  assert.deepEqual(
    items.map(({ space, path }) => `${space}/${path}`),
    ['docs/one', 'docs/two', 'notes/four', 'notes/three', 'personal/five'],
  )
  const { metadata, updatedAt, ...item } = items[0]
  assert.deepEqual(item, { space: 'docs', path: 'one', title: 'one', version: 1 })
  assert.equal(metadata, undefined)
  assert.match(updatedAt, /Z$/)
})

test('orderBy sorts numbers before strings, and absent values last in both directions', async () => {
  assert.deepEqual(await paths([], '&orderBy=n'), ['one', 'two', 'five', 'three', 'four'])
  assert.deepEqual(await paths([], '&orderBy=n&order=desc'), ['three', 'five', 'two', 'one', 'four'])
  assert.deepEqual(await paths([], '&orderBy=due&limit=1'), ['one', 'two', 'three', 'four', 'five'])
})

test('space restricts the search, and includeMetadata returns the metadata', async () => {
  assert.deepEqual(await paths([], '&space=personal'), ['five'])
  assert.deepEqual(await paths([], '&space=notes'), ['four', 'three'])
  const { json } = await service.admin.get('/search/metadata?space=docs&includeMetadata=true&limit=1')
  assert.deepEqual(json.items[0].metadata, {
    n: 1,
    due: '2026-01-01',
    tags: ['a', 'b'],
    owner: { name: 'ann', team: 1 },
  })
  assertProblem(await service.admin.get('/search/metadata?space=absent'), 404, 'not_found')
})

test('malformed filters are an error with the location of each issue', async () => {
  const cases: [unknown, string][] = [
    [{}, 'filters'],
    ['eq', 'filters'],
    [[1], 'filters/0'],
    [[{ op: 'exists' }], 'filters/0/key'],
    [[{ key: 1, op: 'exists' }], 'filters/0/key'],
    [[{ key: '', op: 'exists' }], 'filters/0/key'],
    [[{ key: 'a\u0001', op: 'exists' }], 'filters/0/key'],
    [[{ key: 'a' }], 'filters/0/op'],
    [[{ key: 'a', op: 'like', value: 1 }], 'filters/0/op'],
    [[{ key: 'a', op: 'toString', value: 1 }], 'filters/0/op'],
    [[{ key: 'a', op: 'eq' }], 'filters/0/value'],
    [[{ key: 'a', op: 'exists', value: true }], 'filters/0/value'],
    [[{ key: 'a', op: 'gt', value: 'soon' }], 'filters/0/value'],
    [[{ key: 'a', op: 'gt', value: '2026-02-30' }], 'filters/0/value'],
    [[{ key: 'a', op: 'lte', value: null }], 'filters/0/value'],
    [[{ key: 'a', op: 'lt', value: [1] }], 'filters/0/value'],
    [[{ key: 'a', op: 'eq', value: 'x\0' }], 'filters/0/value'],
    [[{ key: 'a', op: 'contains', value: { 'x\0': 1 } }], 'filters/0/value'],
    [[{ key: 'a', op: 'eq', value: 1, extra: 1 }], 'filters/0/extra'],
    [[{ key: 'a', op: 'in', value: 'x' }], 'filters/0/value'],
    [[{ key: 'a', op: 'in', value: ['x\0'] }], 'filters/0/value/0'],
    [[{ key: 'a', op: 'notIn', value: Array.from({ length: 101 }, () => 1) }], 'filters/0/value'],
    [[{ key: 'a', op: 'startsWith', value: 2 }], 'filters/0/value'],
    [[{ key: 'a', op: 'gt', value: { $date: 'tomorrow' } }], 'filters/0/value'],
    [[{ key: 'a', op: 'gt', value: { $date: 'today+1d', x: 1 } }], 'filters/0/value'],
    [[{ key: 'a', op: 'gt', value: { $date: 'today+99999y' } }], 'filters/0/value'],
    [[{ key: 'a', op: 'gt', value: { $date: 'today-99999y' } }], 'filters/0/value'],
    [Array.from({ length: 21 }, () => ({ key: 'a', op: 'exists' })), 'filters'],
  ]
  for (const [filters, path] of cases) {
    const { json } = await rejected(`filters=${encodeURIComponent(JSON.stringify(filters))}`)
    assert.equal(json.issues[0].path, path, JSON.stringify(filters))
  }
  const unknownOp = await rejected(`filters=${encodeURIComponent('[{"key":"a","op":"like","value":1}]')}`)
  for (const op of FILTER_OP_NAMES) {
    assert.match(unknownOp.json.issues[0].message, new RegExp(`\\b${op}\\b`))
  }
  const both = await rejected(`filters=${encodeURIComponent('[{"key":"a","op":"x"},{"key":"","op":"exists"}]')}`)
  assert.deepEqual(
    both.json.issues.map((issue: { path: string }) => issue.path),
    ['filters/0/op', 'filters/1/key'],
  )
  for (const text of [
    '',
    'x',
    '[',
    '[{"key":"a","key":"b","op":"exists"}]',
    '["\\ud800"]',
    '[1e999]',
    `${'['.repeat(99)}${']'.repeat(99)}`,
  ]) {
    assert.match((await rejected(`filters=${encodeURIComponent(text)}`)).json.issues[0].path, /^filters/)
  }
  assert.deepEqual(await paths(Array.from({ length: 20 }, () => ({ key: 'n', op: 'exists' }))), [
    'one',
    'two',
    'three',
    'five',
  ])
})

test('the error for malformed parameters names them', async () => {
  const cases: [string, string][] = [
    ['orderBy=', 'orderBy'],
    [`orderBy=${'x'.repeat(129)}`, 'orderBy'],
    ['orderBy=%00', 'orderBy'],
    ['orderBy=a%01', 'orderBy'],
    ['orderBy=n&order=up', 'order'],
    ['order=desc', 'order'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['includeMetadata=maybe', 'includeMetadata'],
    ['filter=[]', 'filter'],
    ['orderByField=template', 'orderByField'],
    ['orderByField=title&orderBy=n', 'orderByField'],
    ['orderBy=n&sort={"key":"due"}', 'sort'],
    ['sort={"key":"due"}&sort={"key":"due","order":"desc"}', 'sort'],
    ['sort={"key":"a"}&sort={"key":"b"}&sort={"key":"c"}&sort={"key":"d"}', 'sort'],
    ...[
      'due',
      '{}',
      '{"field":"due"}',
      '{"key":"a","field":"title"}',
      '{"key":"a","order":"up"}',
      '{"key":"\\u0000title"}',
    ].map((sort): [string, string] => [`sort=${encodeURIComponent(sort)}`, 'sort/0']),
    ...[
      { field: 'verification', op: 'eq', value: 1 },
      { field: 'title', key: 'n', op: 'eq', value: 1 },
      { field: 'title', op: 'exists' },
      { field: 'title', op: 'gt', value: 'a' },
      { field: 'title', op: 'contains', value: 'a' },
      { field: 'title', op: 'eq', value: 'x'.repeat(200) },
      { field: 'version', op: 'eq', value: '1' },
      { field: 'version', op: 'gt', value: '2026-01-01' },
      { field: 'createdAt', op: 'in', value: ['soon'] },
      { field: 'createdBy', op: 'startsWith', value: 'a' },
    ].map((filter): [string, string] => [`filters=${encodeURIComponent(JSON.stringify([filter]))}`, 'filters/0']),
  ]
  for (const [query, path] of cases) assert.match((await rejected(query)).json.issues[0].path, new RegExp(path), query)
  assertProblem(await service.admin.get('/search/metadata?space=No'), 400, 'invalid_slug')
})

test('pages are found and sorted by their own fields', async () => {
  const { json: me } = await service.admin.get('/me')
  assert.deepEqual(await paths([{ field: 'path', op: 'startsWith', value: 't' }]), ['two', 'three'])
  assert.deepEqual(await paths([{ field: 'createdBy', op: 'neq', value: me.id }]), [])
  assert.deepEqual(await paths([{ field: 'updatedAt', op: 'gt', value: { $date: 'now+1h' } }]), [])
  assert.deepEqual(
    await paths(
      [
        { field: 'updatedByKind', op: 'in', value: ['human'] },
        { key: 'n', op: 'exists' },
      ],
      '&orderByField=path',
    ),
    ['five', 'one', 'three', 'two'],
  )
  const sort = ['{"key":"due","order":"desc"}', '{"field":"path","order":"desc"}']
  assert.deepEqual(await paths([], `&limit=1${sort.map((each) => `&sort=${encodeURIComponent(each)}`).join('')}`), [
    'three',
    'two',
    'one',
    'four',
    'five',
  ])
})

test('a cursor is valid for its own search only', async () => {
  const { nextCursor } = (await service.admin.get('/search/metadata?orderBy=n&limit=2')).json
  assertStatus(await service.admin.get(`/search/metadata?orderBy=n&limit=3&cursor=${nextCursor}`), 200)
  for (const query of [
    '',
    'orderBy=due&',
    'orderBy=n&order=desc&',
    'orderBy=n&space=docs&',
    `orderBy=n&filters=${encodeURIComponent('[{"key":"n","op":"exists"}]')}&`,
  ]) {
    assertProblem(await service.admin.get(`/search/metadata?${query}cursor=${nextCursor}`), 400, 'invalid_cursor')
  }
  assertProblem(await service.admin.get('/search/metadata?cursor=x'), 400, 'invalid_cursor')
  assertProblem(await service.admin.get(`/search/metadata/keys?cursor=${nextCursor}`), 400, 'invalid_cursor')
})

test('a page that is inserted before the cursor is not listed after it, and none is listed twice', async () => {
  const list = '/search/metadata?space=docs&orderBy=n'
  const first = assertStatus(await service.admin.get(`${list}&limit=1`), 200).json
  const made = await service.admin.call('PUT', '/pages/docs/aaa', { json: { body: '', metadata: { n: 0 } } })
  assertStatus(made, 201)
  const rest = assertStatus(await service.admin.get(`${list}&cursor=${first.nextCursor}`), 200).json
  const shown = [...first.items, ...rest.items].map(({ path }: { path: string }) => path)
  assert.deepEqual(shown, ['one', 'two'])
})

test('keys are listed by number of pages, prefix and space', async () => {
  const keys = async (query = '') =>
    (await service.admin.all(`/search/metadata/keys?${query}`)).map(({ key, pageCount, valueTypes }) => [
      key,
      pageCount,
      valueTypes,
    ])
  assert.deepEqual(await keys('space=notes'), [
    ['due', 1, ['string']],
    ['n', 1, ['string']],
    ['tags', 1, ['array']],
  ])
  assert.deepEqual(await keys('prefix=ta&space=docs'), [['tags', 2, ['string', 'array']]])
  assert.deepEqual(await keys('prefix=zz'), [])
  assert.deepEqual((await keys('limit=1'))[0]?.[0], 'n')
  assertStatus(await service.admin.patch('/pages/notes/three/metadata', { set: { due: null } }), 200)
  assert.deepEqual(await keys('space=notes&prefix=due'), [])
})

test('values of a key are listed in their order with the number of pages, each date as it is written', async () => {
  await service.admin.space('lots')
  const written = [2, 'b', 10, true, 'a', 'a', '2026-01-01', '2026-01-01T00:00:00Z', [1], { x: 1 }, false, true, [1]]
  for (const [index, size] of written.entries())
    await service.admin.call('PUT', `/pages/lots/p${index}`, { json: { body: '', metadata: { 'size/of': size } } })
  assertStatus(await service.admin.call('DELETE', '/pages/lots/p1', { headers: { 'if-match': '*' } }), 204)
  const list = `/search/metadata/values?key=${encodeURIComponent('size/of')}`
  for (const limit of [1, 2, 50]) {
    const items = await service.admin.all(`${list}&space=lots&limit=${limit}`)
    assert.ok(items.every(({ isComplete }) => isComplete))
    const texts = items.map(({ value, pageCount }) => `${JSON.stringify(value)} ${pageCount}`)
    assert.deepEqual(texts.slice(0, 2), ['2 1', '10 1'])
    assert.deepEqual(texts.slice(2, 4).sort(), ['"2026-01-01" 1', '"2026-01-01T00:00:00Z" 1'])
    assert.equal(texts[4], '"a" 2')
    assert.deepEqual(texts.slice(5).sort(), ['[1] 2', 'false 1', 'true 2', '{"x":1} 1'])
  }
  const first = assertStatus(await service.admin.get(`${list}&limit=1`), 200).json
  const other = `/search/metadata/values?key=n&cursor=${first.nextCursor}`
  assertProblem(await service.admin.get(other), 400, 'invalid_cursor')
  for (const query of ['', 'key=', `key=${'x'.repeat(129)}`, 'key=%00', 'key=a%0a'])
    assertProblem(await service.admin.get(`/search/metadata/values?${query}`), 400, 'invalid_request')
  assert.deepEqual(await service.admin.all('/search/metadata/values?key=never'), [])
})

test('a viewer reads metadata and history and changes nothing; others see no page', async () => {
  const viewer = await newOwner(service.admin, 'viewer')
  const reader = await newPerson(service.admin, 'reader', { role: 'admin', scopes: ['read'] })
  await service.admin.space('closed', { visibility: 'private' })
  assertStatus(await service.admin.call('PUT', '/pages/closed/x', { json: { body: '', metadata: { secret: 1 } } }), 201)
  for (const { client } of [viewer, reader]) {
    assertStatus(await client.get('/pages/docs/one/metadata'), 200)
    assertStatus(await client.get('/pages/docs/one/metadata/history'), 200)
    assertProblem(await client.patch('/pages/docs/one/metadata', { set: { a: 1 } }), 403, 'forbidden')
  }
  assertProblem(await viewer.client.get('/pages/closed/x/metadata'), 404, 'not_found')
  assertProblem(await viewer.client.patch('/pages/closed/x/metadata', { set: { a: 1 } }), 404, 'not_found')
  assertProblem(await viewer.client.get('/pages/closed/x/metadata/history'), 404, 'not_found')
  assert.deepEqual(await paths([{ key: 'secret', op: 'exists' }], '', viewer.client), [])
  assert.deepEqual(await paths([], '&space=personal', viewer.client), [])
  assert.deepEqual((await viewer.client.all('/search/metadata/keys?prefix=secret')).length, 0)
  assert.deepEqual(await viewer.client.all('/search/metadata/values?key=secret'), [])
})

test('a relative date is that of the query, and today that of the time zone', async () => {
  const write = (path: string, at: string) =>
    service.admin.call('PUT', `/pages/dates/${path}`, { json: { body: '', metadata: { at } } })
  await service.admin.space('dates')
  const day = 86_400_000
  await write('past', new Date(Date.now() - 2 * day).toISOString())
  await write('today', new Date().toISOString().slice(0, 10))
  await write('next', new Date(Date.now() + 40 * day).toISOString())
  const at = (op: string, $date: string, more = '') => paths([{ key: 'at', op, value: { $date } }], more)
  assert.deepEqual(await at('lt', 'now'), ['past', 'today'])
  assert.deepEqual(await at('gte', 'now-1w'), ['next', 'past', 'today'])
  assert.deepEqual(await at('gt', 'today+6w'), [])
  assert.deepEqual(await at('gt', 'today+1m'), ['next'])
  assert.deepEqual(await at('lte', 'now+999h'), ['next', 'past', 'today'])
  assert.deepEqual(await at('lt', 'today-1y'), [])
  assert.deepEqual(await at('gte', 'today', '&timeZone=UTC'), ['next', 'today'])
  // These two are never at the same day: 25 hours are between them.
  const kiritimati = await at('gt', 'today-1d', '&timeZone=Pacific/Kiritimati')
  const niue = await at('gt', 'today-1d', '&timeZone=Pacific/Niue')
  assert.ok(kiritimati.length < niue.length)
  const { json } = await rejected('timeZone=Mars/Base')
  assert.equal(json.issues[0].path, 'timeZone')
})

test('templates=false leaves page templates out, and only these, in every order', async () => {
  await service.admin.space('forms')
  for (const path of ['a', 'templates', 'templates/one', 'templates/deep/two', 'templates-old', 'z/templates/x'])
    await service.admin.call('PUT', `/pages/forms/${path}`, { json: { body: '', metadata: { size: path.length } } })
  const sizes = [{ key: 'size', op: 'exists' }]
  const byPath = ['a', 'templates', 'templates-old', 'z/templates/x']
  assert.equal((await paths(sizes, '&space=forms')).length, 6)
  assert.equal((await paths(sizes, '&space=forms&templates=true')).length, 6)
  for (const filters of [[], sizes, [{ key: 'size', op: 'in', value: [1, 9, 13] }]])
    for (const limit of [1, 50])
      assert.deepEqual(await paths(filters, `&space=forms&templates=false&limit=${limit}`), byPath)
  assert.deepEqual(await paths(sizes, '&templates=false&orderBy=size&order=desc&limit=1'), [
    'templates-old',
    'z/templates/x',
    'templates',
    'a',
  ])
  assert.deepEqual(await paths([{ key: 'size', op: 'missing' }], '&space=forms&templates=false'), [])
})
