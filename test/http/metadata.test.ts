import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let pages = 0

before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

/** The address of a new page. */
async function newPage(space = 'docs'): Promise<string> {
  const path = `/pages/${space}/page-${++pages}`
  assertStatus(await service.admin.put(path, '# Page'), 201)
  return path
}

async function patch(page: string, body: unknown) {
  return service.admin.patch(`${page}/metadata`, body)
}

async function metadataOf(page: string) {
  return assertStatus(await service.admin.get(`${page}/metadata`), 200).json.metadata
}

async function historyOf(page: string, query = '') {
  return service.admin.all(`${page}/metadata/history${query}`)
}

test('a page has no metadata until some is set', async () => {
  const page = await newPage()
  const { json } = assertStatus(await service.admin.get(`${page}/metadata`), 200)
  assert.deepEqual(json, { space: 'docs', path: page.slice('/pages/docs/'.length), metadata: {}, entries: [] })
})

test('values of every type are returned as they were set, with author and time', async () => {
  const page = await newPage()
  const metadata = {
    'due-date': '2026-03-01',
    number: -12.5,
    flag: false,
    list: [1, null, 'two', [3], { four: 4 }],
    object: { nested: { deep: [true] } },
    empty: '',
  }
  const patched = assertStatus(await patch(page, { set: metadata }), 200)
  const read = assertStatus(await service.admin.get(`${page}/metadata`), 200)
  assert.deepEqual(read.json, patched.json)
  assert.deepEqual(read.json.metadata, metadata)
  const me = (await service.admin.get('/me')).json
  assert.deepEqual(
    read.json.entries.map((entry: { key: string }) => entry.key),
    Object.keys(metadata).sort(),
  )
  for (const entry of read.json.entries) {
    assert.deepEqual(entry.updatedBy, { id: me.id, name: me.name, kind: me.kind })
    assert.match(entry.updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
})

test('only the keys that a patch names change, and null deletes', async () => {
  const page = await newPage()
  await patch(page, { set: { a: 1, b: 2, c: 3 } })
  const { json } = assertStatus(await patch(page, { set: { b: null, c: 4, absent: null } }), 200)
  assert.deepEqual(json.metadata, { a: 1, c: 4 })
})

test('append adds an element or the elements of an array, and starts an array where the key is absent', async () => {
  const page = await newPage()
  await patch(page, { append: { tags: 'a' } })
  await patch(page, { append: { tags: ['b', 'a'], more: [], objects: { x: 1 } } })
  assert.deepEqual(await metadataOf(page), { tags: ['a', 'b', 'a'], more: [], objects: [{ x: 1 }] })
})

test('appendUnique skips elements that the array contains, by JSON equality', async () => {
  const page = await newPage()
  await patch(page, { set: { list: [1, { a: 1, b: [2] }] } })
  const operand = [1, { b: [2], a: 1 }, 'new', 'new', null]
  for (let run = 0; run < 3; run++) await patch(page, { appendUnique: { list: operand } })
  assert.deepEqual(await metadataOf(page), { list: [1, { a: 1, b: [2] }, 'new', null] })
  const events = await historyOf(page)
  assert.deepEqual(
    events.map((event) => event.op),
    ['appendUnique', 'set'],
  )
})

test('1.0 in the text of a patch is the element 1', async () => {
  const page = await newPage()
  await patch(page, { set: { list: [1] } })
  const answer = await service.admin.call('PATCH', `${page}/metadata`, {
    body: '{"appendUnique":{"list":[1.0, 1e0, 100e-2]}}',
    headers: { 'content-type': 'application/json' },
  })
  assert.deepEqual(assertStatus(answer, 200).json.metadata, { list: [1] })
})

test('append to a value that is not an array is an error that names the key, and the patch changes nothing', async () => {
  const page = await newPage()
  await patch(page, { set: { text: 'x' } })
  for (const member of ['append', 'appendUnique']) {
    const answer = await patch(page, { set: { other: 1 }, [member]: { text: 'y' } })
    assertProblem(answer, 400, 'not_an_array')
    assert.equal(answer.json.issues[0].path, `/${member}/text`)
  }
  assert.deepEqual(await metadataOf(page), { text: 'x' })
})

test('a malformed patch is an error with the location of each issue', async () => {
  const page = await newPage()
  const cases: [unknown, string][] = [
    [{}, ''],
    [{ set: {} }, ''],
    [{ set: {}, append: {}, appendUnique: {} }, ''],
    [{ set: { a: 1 }, append: { a: 1 } }, '/append/a'],
    [{ append: { a: 1 }, appendUnique: { a: 1 } }, '/appendUnique/a'],
    [{ replace: { a: 1 } }, '/replace'],
    [{ set: [1] }, '/set'],
    [{ set: null }, '/set'],
    [[], ''],
    ['set', ''],
    [null, ''],
    [{ set: { '': 1 } }, '/set/'],
    [{ set: { ['k'.repeat(129)]: 1 } }, `/set/${'k'.repeat(129)}`],
    [{ set: { 'a\nb': 1 } }, '/set/a\nb'],
    [{ set: { 'a/b~c': 'x\0' } }, '/set/a~1b~0c'],
    [{ set: { a: [{ b: 'x\0' }] } }, '/set/a/0/b'],
    [{ append: { a: { 'x\0': 1 } } }, '/append/a'],
  ]
  for (const [body, path] of cases) {
    const answer = assertProblem(await patch(page, body), 400, 'invalid_request')
    assert.equal(answer.json.issues[0].path, path, JSON.stringify(body))
  }
  assert.deepEqual(await metadataOf(page), {})
})

test('the error for a patch lists all of its issues', async () => {
  const page = await newPage()
  const answer = await patch(page, { set: { '': 1, ok: 1 }, append: { ok: 1, bad: '\0' } })
  assert.deepEqual(
    assertProblem(answer, 400, 'invalid_request').json.issues.map((issue: { path: string }) => issue.path),
    ['/set/', '/append/ok', '/append/bad'],
  )
})

test('invalid JSON is rejected: duplicate names, lone surrogates, huge numbers, deep nesting', async () => {
  const page = await newPage()
  const deep = `${'['.repeat(100)}1${']'.repeat(100)}`
  for (const value of ['{"a":1,"a":2}', '"\\ud800"', '1e400', '-1e309', deep, '01', "'x'", 'NaN']) {
    const answer = await service.admin.call('PATCH', `${page}/metadata`, {
      body: `{"set":{"k":${value}}}`,
      headers: { 'content-type': 'application/json' },
    })
    assertProblem(answer, 400, 'invalid_json')
  }
  assert.deepEqual(await metadataOf(page), {})
})

test('any string of 1 to 128 characters is a key', async () => {
  const page = await newPage()
  const keys = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '0',
    ' ',
    'a.b',
    'a/b',
    '~',
    'ключ',
    '😀'.repeat(128),
    'x'.repeat(128),
    '"',
    '\\',
    '$',
    '%s',
    '\u2028',
  ]
  for (const key of keys) {
    const body = `{"set":{${JSON.stringify(key)}:[1]}}`
    const headers = { 'content-type': 'application/json' }
    assertStatus(await service.admin.call('PATCH', `${page}/metadata`, { body, headers }), 200)
    const more = `{"append":{${JSON.stringify(key)}:{"__proto__":2}}}`
    assertStatus(await service.admin.call('PATCH', `${page}/metadata`, { body: more, headers }), 200)
  }
  const read = assertStatus(await service.admin.get(`${page}/metadata`), 200)
  const raw = JSON.parse(read.text)
  assert.deepEqual(Object.keys(raw.metadata).sort(), [...keys].sort())
  for (const key of keys) {
    assert.ok(Object.hasOwn(raw.metadata, key), key)
    const [first, second] = raw.metadata[key]
    assert.equal(first, 1)
    assert.deepEqual(Object.entries(second), [['__proto__', 2]])
  }
  assert.equal((await historyOf(page, `?key=${encodeURIComponent('__proto__')}`)).length, 2)
  assert.equal(Object.hasOwn(Object.prototype, '2'), false)
})

test('a page can have 200 keys, and a patch that would add another changes nothing', async () => {
  const page = await newPage()
  const keys = Array.from({ length: 200 }, (_, index) => [`k${index}`, index])
  assertStatus(await patch(page, { set: Object.fromEntries(keys) }), 200)
  const refused = assertProblem(await patch(page, { set: { k0: 'x', extra: 1 } }), 413, 'payload_too_large')
  assert.equal(refused.json.issues[0].path, '/set/extra')
  assert.equal((await metadataOf(page)).k0, 0)
  // One goes, one comes.
  assertStatus(await patch(page, { set: { k1: null, extra: 1 } }), 200)
  assert.equal(Object.keys(await metadataOf(page)).length, 200)
})

test('a value has at most 64 KiB of JSON, also after appends', async () => {
  const page = await newPage()
  const largest = 'x'.repeat(65_536 - 2)
  assertStatus(await patch(page, { set: { text: largest } }), 200)
  assertProblem(await patch(page, { set: { a: 1, text: `${largest}y` } }), 413, 'payload_too_large')
  assertStatus(await patch(page, { set: { list: ['x'.repeat(65_530)] } }), 200)
  for (const member of ['append', 'appendUnique']) {
    const refused = assertProblem(await patch(page, { [member]: { list: ['y'] } }), 413, 'payload_too_large')
    assert.equal(refused.json.issues[0].path, `/${member}/list`)
  }
  const metadata = await metadataOf(page)
  assert.equal(metadata.text, largest)
  assert.equal(metadata.list.length, 1)
  assert.ok(!('a' in metadata))
})

test('numbers are doubles: they are returned exactly, and an integer that would lose digits is 400', async () => {
  const page = await newPage()
  const numbers = [0, -0, 1.5, 1e21, 1e308, 5e-324, 1.7976931348623157e308, 2 ** 53, 0.1, -1e-7]
  await patch(page, { set: { numbers } })
  assert.deepEqual(
    (await metadataOf(page)).numbers,
    numbers.map((number) => number + 0),
  )
  const answer = await service.admin.call('PATCH', `${page}/metadata`, {
    body: '{"set":{"large":9007199254740993}}',
    headers: { 'content-type': 'application/json' },
  })
  assertStatus(answer, 400)
  assert.equal((await metadataOf(page)).large, undefined)
})

test('a change of metadata does not affect version, ETag, update time and revisions of its page', async () => {
  const page = await newPage()
  const before = await service.admin.page(page)
  await patch(page, { set: { a: 1 } })
  await patch(page, { append: { b: 1 } })
  const now = await service.admin.page(page)
  assert.deepEqual(now.json, before.json)
  assert.equal(now.headers.get('etag'), before.headers.get('etag'))
  assert.equal((await service.admin.all(`${page}/versions`)).length, 1)
  assertStatus(await service.admin.put(page, '# New', { 'if-match': before.json.etag }), 200)
  assert.deepEqual(await metadataOf(page), { a: 1, b: [1] })
})

test('the history has the old and the new value of each change, newest first', async () => {
  const page = await newPage()
  await patch(page, { set: { a: 1 } })
  await patch(page, { set: { a: 1 } })
  await patch(page, { set: { a: [1] } })
  await patch(page, { append: { a: [2, 3] } })
  await patch(page, { appendUnique: { a: [3, 4] } })
  await patch(page, { set: { a: null } })
  await patch(page, { append: { a: 'x' } })
  await patch(page, { append: { a: 'y' }, set: { b: true } })
  const events = (await historyOf(page)).map(({ key, op, value, previousValue, existed }) => [
    key,
    op,
    value,
    previousValue,
    existed,
  ])
  assert.deepEqual(events, [
    ['a', 'append', ['x', 'y'], ['x'], true],
    ['b', 'set', true, null, false],
    ['a', 'append', ['x'], null, false],
    ['a', 'delete', null, [1, 2, 3, 4], true],
    ['a', 'appendUnique', [1, 2, 3, 4], [1, 2, 3], true],
    ['a', 'append', [1, 2, 3], [1], true],
    ['a', 'set', [1], 1, true],
    ['a', 'set', 1, null, false],
  ])
})

test('history is paginated and filtered by key, and its cursor is valid for it only', async () => {
  const page = await newPage()
  for (let n = 0; n < 7; n++) await patch(page, { append: { a: n }, set: { b: n } })
  const all = await historyOf(page)
  assert.equal(all.length, 14)
  assert.deepEqual(await historyOf(page, '?limit=3'), all)
  const onlyA = all.filter((event) => event.key === 'a')
  assert.deepEqual(await historyOf(page, '?key=a&limit=2'), onlyA)
  assert.deepEqual(await historyOf(page, '?key=none'), [])
  const { nextCursor } = (await service.admin.get(`${page}/metadata/history?limit=1`)).json
  const foreign = `${page}/metadata/history?key=a&cursor=${nextCursor}`
  assertProblem(await service.admin.get(foreign), 400, 'invalid_cursor')
  assertProblem(await service.admin.get(`${page}/metadata/history?key=`), 400, 'invalid_request')
  assertProblem(await service.admin.get(`${page}/metadata/history?key=%00`), 400, 'invalid_request')
})

test('a patch that changes nothing leaves no audit event, no stamp and no event', async () => {
  const page = await newPage()
  const first = assertStatus(await patch(page, { set: { a: { x: 1, y: [2] } } }), 200)
  const second = assertStatus(await patch(page, { set: { a: { y: [2.0], x: 1 }, gone: null }, append: {} }), 200)
  assert.deepEqual(second.json, first.json)
  assert.equal((await historyOf(page)).length, 1)
})

test('PUT with metadata creates the page with it atomically', async () => {
  const path = `/pages/docs/made-${++pages}`
  const metadata = { status: 'draft', tags: ['a'], none: null }
  assertStatus(await service.admin.call('PUT', path, { json: { body: '# Made', metadata } }), 201)
  assert.deepEqual(await metadataOf(path), { status: 'draft', tags: ['a'] })
  assert.deepEqual((await historyOf(path)).map((event) => [event.key, event.op, event.existed]).sort(), [
    ['status', 'set', false],
    ['tags', 'set', false],
  ])
})

test('PUT with metadata is an error if the page exists', async () => {
  const page = await newPage()
  const refused = await service.admin.call('PUT', page, {
    json: { body: '# Again', metadata: { a: 1 } },
    headers: { 'if-match': '"1"' },
  })
  assert.equal(assertProblem(refused, 400, 'invalid_request').json.issues[0].path, '/metadata')
  assert.equal((await service.admin.page(page)).json.version, 1)
})

test('PUT with invalid metadata creates no page', async () => {
  const path = `/pages/docs/never-${++pages}`
  const put = (metadata: unknown) => service.admin.call('PUT', path, { json: { body: '', metadata } })
  const badKey = assertProblem(await put({ 'a\tb': 1 }), 400, 'invalid_request')
  assert.equal(badKey.json.issues[0].path, '/metadata/a\tb')
  assertProblem(await put({ a: 'x'.repeat(70_000) }), 413, 'payload_too_large')
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`k${index}`, 1]))
  assertProblem(await put(many), 413, 'payload_too_large')
  assertProblem(await put([]), 400, 'invalid_request')
  assertStatus(await service.admin.page(path), 404)
})

test('a personal page has metadata like any other', async () => {
  const page = await newPage('personal')
  assertStatus(await patch(page, { set: { mood: 'good' } }), 200)
  const { json } = await service.admin.get(`${page}/metadata`)
  assert.equal(json.space, 'personal')
  assert.deepEqual(json.metadata, { mood: 'good' })
})

test('the metadata of a page whose path ends in metadata is reached with %2F', async () => {
  assertStatus(await service.admin.put('/pages/docs/notes%2Fmetadata', '# Notes'), 201)
  assertStatus(await patch('/pages/docs/notes%2Fmetadata', { set: { a: 1 } }), 200)
  assertStatus(await service.admin.get('/pages/docs/notes/metadata'), 404)
})

test('the metadata of a missing page, and its history, are 404', async () => {
  assertProblem(await service.admin.get('/pages/docs/absent/metadata'), 404, 'not_found')
  assertProblem(await patch('/pages/docs/absent', { set: { a: 1 } }), 404, 'not_found')
  assertProblem(await service.admin.get('/pages/docs/absent/metadata/history'), 404, 'not_found')
  assertProblem(await service.nobody.get('/pages/docs/absent/metadata'), 401, 'unauthorized')
})

test('metadata supports HEAD, and 405 for other methods', async () => {
  const page = await newPage()
  assertStatus(await service.admin.call('HEAD', `${page}/metadata`), 200)
  const refused = assertProblem(await service.admin.delete(`${page}/metadata`), 405, 'method_not_allowed')
  assert.match(refused.headers.get('allow') ?? '', /PATCH/)
})
