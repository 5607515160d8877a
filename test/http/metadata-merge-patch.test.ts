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

const MERGE_PATCH = 'application/merge-patch+json'

function merge(url: string, body: unknown) {
  return service.admin.call('PATCH', url, { body: JSON.stringify(body), headers: { 'content-type': MERGE_PATCH } })
}

/** The test cases of RFC 7396, appendix A, as a value, a patch and a result. */
const RFC_7396 = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, undefined],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
] as const

test('a JSON Merge Patch changes metadata as RFC 7396 says', async () => {
  for (const [before, change, after] of RFC_7396) {
    const page = await newPage()
    assertStatus(await patch(page, { set: { key: before, kept: 1 } }), 200)
    const { metadata } = assertStatus(await merge(`${page}/metadata`, { key: change }), 200).json
    assert.deepEqual(metadata, after === undefined ? { kept: 1 } : { key: after, kept: 1 })
  }
  const page = await newPage()
  const body = '{"set":{"a":1},"__proto__":{"b":{"c":2,"d":null}}}'
  const headers = { 'content-type': `${MERGE_PATCH}; charset=utf-8` }
  const answer = assertStatus(await service.admin.call('PATCH', `${page}/metadata`, { body, headers }), 200)
  assert.match(answer.text, /"metadata":\{"__proto__":\{"b":\{"c":2\}\},"set":\{"a":1\}\}/)
  const ops = (await historyOf(page)).map(({ key, op }) => `${op} ${key}`)
  assert.deepEqual(ops.sort(), ['set __proto__', 'set set'])
  assertStatus(await merge(`${page}/metadata`, {}), 200)
  assertStatus(await merge(`${page}/metadata`, { set: null, none: null }), 200)
  assert.deepEqual(
    (await historyOf(page)).map(({ op, key }) => `${op} ${key}`).filter((line) => line.startsWith('delete')),
    ['delete set'],
  )
})

test('a JSON Merge Patch that is not valid changes nothing', async () => {
  const page = await newPage()
  for (const body of [null, [1], 'text', 1]) {
    assertProblem(await merge(`${page}/metadata`, body), 400, 'invalid_request')
  }
  const { issues } = assertProblem(await merge(`${page}/metadata`, { ok: 1, '': 2 }), 400, 'invalid_request').json
  assert.equal(issues[0].path, '/')
  assertProblem(await merge(`${page}/metadata`, { ok: 'x'.repeat(70_000) }), 413, 'payload_too_large')
  assertProblem(await service.admin.call('PATCH', `${page}/metadata`), 400, 'invalid_request')
  assert.deepEqual(await metadataOf(page), {})
})

test('Accept-Patch names the media types of a patch, and others are 415', async () => {
  const page = await newPage()
  const both = `application/json, ${MERGE_PATCH}`
  const edits = { edits: [{ op: 'append', text: 'x' }] }
  const rejected = await merge(page, edits)
  assertProblem(rejected, 415, 'unsupported_media_type')
  assert.equal(rejected.headers.get('accept-patch'), 'application/json')
  const yaml = { body: 'a: 1', headers: { 'content-type': 'application/yaml' } }
  const other = await service.admin.call('PATCH', `${page}/metadata`, yaml)
  assertProblem(other, 415, 'unsupported_media_type')
  assert.match(other.json.detail, /application\/json/)
  assert.equal(other.headers.get('accept-patch'), both)
  for (const [url, types] of [
    [page, 'application/json'],
    [`${page}/metadata`, both],
    ['/spaces/docs', both],
    ['/me', null],
  ] as const) {
    assert.equal((await service.admin.call('OPTIONS', url)).headers.get('accept-patch'), types, url)
  }
  assertStatus(await merge('/spaces/docs', { description: 'merged' }), 200)
  assert.equal((await service.admin.get('/spaces/docs')).json.description, 'merged')
})
