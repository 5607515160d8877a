import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

// RFC 9110, section 13.
let service: Service
let modified: string
const address = '/pages/docs/page'
const forms = ['text/html', 'text/markdown', 'application/json']
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put(address, '# One'), 201)
  const { updatedAt } = assertStatus(await service.admin.put(address, '# Two', { 'if-match': '"1"' }), 200).json
  modified = new Date(updatedAt).toUTCString()
})
after(() => service[Symbol.asyncDispose]())

const shifted = (seconds: number) => new Date(Date.parse(modified) + seconds * 1000).toUTCString()

test('every representation has Last-Modified, for GET, HEAD, revisions and 304', async () => {
  for (const accept of forms) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await service.admin.call(method, address, { headers: { accept } })
      assert.equal(assertStatus(answer, 200).headers.get('last-modified'), modified, accept)
    }
    assert.ok((await service.admin.get(`${address}/versions/1`, { accept })).headers.get('last-modified'))
    const known = await service.admin.get(address, { accept, 'if-modified-since': modified })
    assert.equal(assertStatus(known, 304).headers.get('last-modified'), modified)
  }
})

test('a 304 has no Content-Length, for GET and HEAD', async () => {
  for (const method of ['GET', 'HEAD']) {
    const headers = { accept: 'text/markdown', 'if-none-match': '*' }
    const known = assertStatus(await service.admin.call(method, address, { headers }), 304)
    assert.equal(known.headers.get('content-length'), null, method)
  }
})

test('If-Modified-Since is evaluated without If-None-Match, and ignored if it is no date', async () => {
  const status = async (headers: Readonly<Record<string, string>>) =>
    (await service.admin.get(address, { accept: 'text/markdown', ...headers })).status
  assert.equal(await status({ 'if-modified-since': modified }), 304)
  assert.equal(await status({ 'if-modified-since': shifted(3600) }), 304)
  assert.equal(await status({ 'if-modified-since': shifted(-1) }), 200)
  assert.equal(await status({ 'if-modified-since': modified, 'if-none-match': '"1"' }), 200)
  assert.equal(await status({ 'if-modified-since': shifted(-1), 'if-none-match': '"2"' }), 304)
  for (const date of ['yesterday', '2100-01-01T00:00:00Z', '1', '']) {
    assert.equal(await status({ 'if-modified-since': date }), 200, date)
  }
  // The obsolete forms, which a recipient has to accept.
  assert.equal(await status({ 'if-modified-since': 'Sunday, 06-Nov-94 08:49:37 GMT' }), 200)
  assert.equal(await status({ 'if-modified-since': 'Sun Nov  6 08:49:37 2094' }), 304)
})

test('reads evaluate If-Match and If-Unmodified-Since', async () => {
  for (const accept of forms) {
    for (const tag of ['"2"', '*', 'W/"2"', '"1", "2-json"']) {
      assertStatus(await service.admin.get(address, { accept, 'if-match': tag }), 200)
    }
    for (const tag of ['"1"', '"x"', '']) {
      const answer = await service.admin.get(address, { accept, 'if-match': tag })
      assertProblem(answer, 412, 'precondition_failed')
    }
    assertStatus(await service.admin.get(address, { accept, 'if-unmodified-since': modified }), 200)
    const stale = { accept, 'if-unmodified-since': shifted(-1) }
    assertProblem(await service.admin.get(address, stale), 412, 'precondition_failed')
    assertStatus(await service.admin.get(address, { ...stale, 'if-match': '"2"' }), 200)
    assertStatus(await service.admin.get(address, { accept, 'if-match': '"2"', 'if-none-match': '*' }), 304)
  }
})

test('writes evaluate If-Unmodified-Since, which does not replace If-Match', async () => {
  const { admin } = service
  const unmodified = { 'if-unmodified-since': shifted(60) }
  assertProblem(await admin.put(address, 'x', unmodified), 428, 'precondition_required')
  const promote = `${address}/versions/1/make-latest`
  const stale = { 'if-unmodified-since': shifted(-1) }
  assertProblem(await admin.post(promote, undefined, stale), 412, 'precondition_failed')
  assertStatus(await admin.post(promote, undefined, unmodified), 200)
})
