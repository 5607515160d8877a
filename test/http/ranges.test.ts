import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

const BODY = '# Straße\n\n0123456789\n'
const SIZE = Buffer.byteLength(BODY)
const PAGE = '/pages/docs/ranges'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put(PAGE, BODY), 201)
})
after(() => service[Symbol.asyncDispose]())

const ask = (headers: Readonly<Record<string, string>>, path = `${PAGE}.md`) => service.admin.get(path, headers)

test('one range of Markdown is sent by bytes, from the latest version and from a revision', async () => {
  for (const path of [`${PAGE}.md`, `${PAGE}?version=1`]) {
    const part = await ask({ range: 'bytes=11-14', accept: 'text/markdown' }, path)
    assertStatus(part, 206)
    assert.equal(part.text, '0123')
    assert.equal(part.headers.get('content-range'), `bytes 11-14/${SIZE}`)
    assert.equal(part.headers.get('content-length'), '4')
    assert.equal(part.headers.get('etag'), '"1"')
  }
  assert.equal(assertStatus(await ask({ range: 'bytes=-5' }), 206).text, '6789\n')
  const whole = assertStatus(await ask({ range: 'bytes=0-0,5-6' }), 200)
  assert.equal(whole.text, BODY)
  assert.equal(whole.headers.get('accept-ranges'), 'bytes')
  const none = assertProblem(await ask({ range: `bytes=${SIZE}-` }), 416, 'range_not_satisfiable')
  assert.equal(none.headers.get('content-range'), `bytes */${SIZE}`)
})

test('If-Range sends the range of the same version only; other representations and HEAD ignore Range', async () => {
  const range = { range: 'bytes=0-0' }
  assertStatus(await ask({ ...range, 'if-range': '"1"' }), 206)
  for (const other of ['"2"', 'W/"1"', '1', new Date().toUTCString()]) {
    assert.equal(assertStatus(await ask({ ...range, 'if-range': other }), 200).text, BODY, other)
  }
  assertStatus(await ask({ ...range, 'if-none-match': '"1"' }), 304)
  for (const accept of ['text/html', 'application/json']) {
    const answer = assertStatus(await ask({ ...range, accept }, PAGE), 200)
    assert.equal(answer.headers.get('accept-ranges'), null)
    assert.equal(answer.headers.get('repr-digest'), null)
  }
  const head = await service.admin.call('HEAD', `${PAGE}.md`, { headers: range })
  assert.equal(assertStatus(head, 200).headers.get('content-length'), String(SIZE))
})

test('Repr-Digest is the SHA-256 of all bytes of the Markdown, also on a range', async () => {
  const digest = `sha-256=:${createHash('sha256').update(BODY).digest('base64')}:`
  for (const headers of [{}, { range: 'bytes=0-3' }]) {
    assert.equal((await ask(headers)).headers.get('repr-digest'), digest)
  }
})

test('an empty page has no range', async () => {
  assertStatus(await service.admin.put('/pages/docs/empty', ''), 201)
  const answer = await ask({ range: 'bytes=0-' }, '/pages/docs/empty.md')
  assert.equal(assertProblem(answer, 416, 'range_not_satisfiable').headers.get('content-range'), 'bytes */0')
})
