import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const MINIMAL = { prefer: 'return=minimal' }

test('Prefer: return=minimal leaves out what was written, and keeps status, ETag and Location', async () => {
  const { admin } = service
  const created = assertStatus(await admin.put('/pages/docs/a', 'one', MINIMAL), 201)
  assert.equal(created.text, '')
  assert.equal(created.headers.get('content-type'), null)
  assert.equal(created.headers.get('etag'), '"1"')
  assert.equal(created.headers.get('location'), `${admin.base}/pages/docs/a`)
  assert.equal(created.headers.get('preference-applied'), 'return=minimal')
  assert.match(created.headers.get('vary') ?? '', /\bPrefer\b/)
  const changed = await admin.put('/pages/docs/a', 'two', { ...MINIMAL, 'if-match': '"1"' })
  assert.equal(assertStatus(changed, 204).headers.get('etag'), '"2"')
  const patched = await admin.patch('/pages/docs/a/metadata', { set: { a: 1 } }, MINIMAL)
  assert.match(assertStatus(patched, 204).headers.get('etag') ?? '', /^"/)
  assertStatus(await admin.patch('/spaces/docs', { name: 'Docs' }, MINIMAL), 204)
  const group = assertStatus(await admin.post('/admin/groups', { name: 'Authors' }, MINIMAL), 201)
  assert.equal((await fetch(group.headers.get('location') ?? '', bearer())).status, 200)
})

test('Prefer: return=representation sends it; unknown and contradicting preferences do not count', async () => {
  const { admin } = service
  const names = await Promise.all(
    [
      'return=representation',
      'wait=1, Return="minimal"; a',
      'respond-async',
      'return=minimal, return=representation',
    ].map(async (prefer, n) => {
      const { text, headers } = await admin.put(`/pages/docs/p${n}`, 'x', { prefer })
      return [headers.get('preference-applied'), text !== '']
    }),
  )
  assert.deepEqual(names, [
    ['return=representation', true],
    ['return=minimal', false],
    [null, true],
    [null, true],
  ])
})

test('an error is sent whatever is preferred, and a report is no representation', async () => {
  const { admin } = service
  assertProblem(await admin.put('/pages/docs/a', 'x', MINIMAL), 428, 'precondition_required')
  assertStatus(await admin.put('/pages/docs/m', 'x'), 201)
  const moved = await admin.post('/pages/docs/m/move', { to: { path: 'n' } }, { ...MINIMAL, 'if-match': '*' })
  assert.ok(assertStatus(moved, 200).text)
  assert.equal(moved.headers.get('preference-applied'), null)
})

test('a retry with an Idempotency-Key gets what it prefers, whatever the first request preferred', async () => {
  const key = { 'idempotency-key': 'prefer-1' }
  const first = await service.admin.put('/pages/docs/k', 'x', { ...key, ...MINIMAL })
  assert.equal(assertStatus(first, 201).text, '')
  const again = assertStatus(await service.admin.put('/pages/docs/k', 'x', key), 201)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.equal(again.json.path, 'k')
  const minimal = await service.admin.put('/pages/docs/k', 'x', { ...key, ...MINIMAL })
  assert.equal(assertStatus(minimal, 201).text, '')
})

test('?fields= keeps the named members of the items of a list, and goes on in its next page', async () => {
  const { admin } = service
  for (const path of ['f/1', 'f/2']) assertStatus(await admin.put(`/pages/docs/${path}`, path), 201)
  const list = await admin.get('/spaces/docs/pages?prefix=f&limit=1&fields=path,version')
  const { items, nextCursor } = assertStatus(list, 200).json
  assert.deepEqual(items, [{ path: 'f/1', version: 1 }])
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(list.headers.get('link') ?? '') ?? []
  assert.match(next, /fields=path%2Cversion/)
  const second = await (await fetch(next, bearer())).json()
  assert.deepEqual(second, { items: [{ path: 'f/2', version: 1 }], nextCursor: null })
  assert.ok(nextCursor)
  const repeated = await fetch(`${admin.base}/spaces?fields=slug&fields=name`, bearer())
  assert.deepEqual(await repeated.json(), { items: [{ slug: 'docs', name: 'Docs' }], nextCursor: null })
})

test('an unknown field is 400 with the known ones', async () => {
  for (const fields of ['path,secret', '', '__proto__']) {
    const answer = await service.admin.get(`/spaces/docs/pages?fields=${fields}`)
    const [issue] = assertProblem(answer, 400, 'invalid_request').json.issues
    assert.match(issue.path, /^fields\/\d$/)
    assert.match(issue.message, /must be one of space, path, url, title, version/)
  }
})

test('every response names the version of the API, and a request for an unknown one is 400', async () => {
  const { admin, nobody } = service
  const version = { 'recto-version': '2026-11-22' }
  for (const answer of [
    assertStatus(await admin.get('/me', version), 200),
    assertStatus(await admin.get('/me'), 200),
    assertStatus(await nobody.get('/me'), 401),
    assertStatus(await nobody.get('/nowhere'), 404),
    assertStatus(await nobody.get('/healthz'), 200),
  ]) {
    assert.equal(answer.headers.get('recto-version'), '2026-11-22')
  }
  for (const unknown of ['2026-11-23', '2026-11-22, 2026-11-22', 'latest', '']) {
    const answer = await admin.put('/pages/docs/version', 'x', { 'recto-version': unknown })
    const { issues } = assertProblem(answer, 400, 'invalid_request').json
    assert.deepEqual(issues, [{ path: 'Recto-Version', message: 'must be 2026-11-22' }])
  }
  assertStatus(await admin.get('/pages/docs/version'), 404)
})

/** A request past the client of the tests. */
const bearer = () => ({ headers: { authorization: `Bearer ${service.admin.key}`, accept: 'application/json' } })
