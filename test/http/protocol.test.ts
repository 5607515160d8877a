import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, section 1: every answer is a problem document with X-Request-Id, those below HTTP's routing too.
let service: Service
before(async () => {
  service = await startService({ SVC_MAX_BODY_BYTES: '100000', SVC_MAX_IMPORT_BYTES: '100000' })
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/page', '# Page'), 201)
})
after(() => service[Symbol.asyncDispose]())

/** What the service answers to the very bytes, until it closes the connection. */
async function answerTo(...chunks: string[]): Promise<string> {
  const { hostname, port } = new URL(service.app.address)
  const socket = connect(Number(port), hostname)
  for (const chunk of chunks) socket.write(chunk)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

const head = (line: string, ...headers: string[]) => [line, ...headers, 'Connection: close', '', ''].join('\r\n')

function assertRawProblem(answer: string, status: number, code: string): void {
  assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), answer)
  assert.match(answer, /content-type: application\/problem\+json/i)
  const id = /^x-request-id: (\S+)\r$/im.exec(answer)?.[1]
  const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
  assert.equal(problem.code, code)
  assert.equal(problem.status, status)
  assert.equal(problem.requestId, id)
}

const host = 'Host: x'
const key = () => `Authorization: Bearer ${service.admin.key}`

test('unsupported methods, also of WebDAV and unknown ones, are 405 with Allow', async () => {
  const has = ['GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT']
  for (const method of [...METHODS.filter((one) => !has.includes(one)), 'FOO', 'get']) {
    const answer = await answerTo(head(`${method} /spaces?x=1 HTTP/1.1`, host))
    assertRawProblem(answer, 405, 'method_not_allowed')
    assert.match(answer, /^allow: GET, HEAD, OPTIONS, POST\r$/im, method)
  }
  for (const [url, allow] of [
    ['/pages/docs/a/b/c/metadata', 'GET, HEAD, OPTIONS, PATCH'],
    ['http://example.com/pages/docs/a/b', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
    ['/me', 'GET, HEAD, OPTIONS'],
  ]) {
    for (const method of ['TRACE', 'PROPFIND', 'LOCK', 'QUERY', 'BREW']) {
      const answer = await answerTo(head(`${method} ${url} HTTP/1.1`, host))
      assertRawProblem(answer, 405, 'method_not_allowed')
      assert.match(answer, new RegExp(`^allow: ${allow}\r$`, 'im'), `${method} ${url}`)
    }
  }
  assertRawProblem(await answerTo(head('PROPFIND /nowhere HTTP/1.1', host)), 404, 'not_found')
  assertRawProblem(await answerTo(head('CONNECT example.com:80 HTTP/1.1', host)), 405, 'method_not_allowed')
})

test('two Host headers, none with HTTP/1.1, and an unknown Expect', async () => {
  assertRawProblem(await answerTo(head('GET /healthz HTTP/1.1', host, 'host: x')), 400, 'invalid_request')
  assertRawProblem(await answerTo(head('GET /healthz HTTP/1.1')), 400, 'invalid_request')
  assertRawProblem(await answerTo(head('GET /me HTTP/1.1', key())), 400, 'invalid_request')
  assert.match(await answerTo(head('GET /healthz HTTP/1.0')), /^HTTP\/1.1 200 /)
  for (const expect of ['200-ok', '100-continue, x', 'x=100-continue']) {
    const answer = await answerTo(head('GET /healthz HTTP/1.1', host, `Expect: ${expect}`))
    assertRawProblem(answer, 417, 'expectation_failed')
  }
})

test('several lines of a header that has one value are 400, even if they are equal', async () => {
  const type = 'Content-Type: text/markdown'
  for (const [method, ...lines] of [
    ['GET', key(), key()],
    ['GET', key(), 'authorization: Bearer svc_other'],
    ['PUT', key(), type, 'content-type: application/json', 'Content-Length: 3'],
    ['PUT', key(), type, type, 'Content-Length: 3'],
    [
      'PUT',
      key(),
      type,
      'If-Unmodified-Since: Mon, 01 Jan 2024 00:00:00 GMT',
      'If-Unmodified-Since: x',
      'Content-Length: 3',
    ],
  ]) {
    const answer = await answerTo(
      head(`${method} /pages/docs/twice HTTP/1.1`, host, ...lines),
      method === 'PUT' ? 'abc' : '',
    )
    assertRawProblem(answer, 400, 'invalid_request')
    assert.match(answer, /more than one (?:Authorization|Content-Type|If-Unmodified-Since) header/)
  }
  assertStatus(await service.admin.get('/pages/docs/twice'), 404)
})

test('bytes after a complete request are 400, whatever the URL of the request has', async () => {
  const answer = await answerTo(head('PUT /pages/docs/after HTTP/1.1', host, key(), 'Content-Length: 3'), 'abcdef')
  assert.match(answer, /HTTP\/1.1 400 /)
  assert.doesNotMatch(answer, / 405 /)
})

test('a body with a transfer coding other than chunked is 400, and is not stored as it is', async () => {
  for (const url of ['/pages/docs/coded', '/files/docs/coded']) {
    const request = head(`PUT ${url} HTTP/1.1`, host, key(), 'Transfer-Encoding: gzip, chunked')
    assertRawProblem(await answerTo(`${request}3\r\nabc\r\n0\r\n\r\n`), 400, 'invalid_request')
    assertStatus(await service.admin.get(url), 404)
  }
})

test('over-long requests get an error response, also while they are still being sent', async () => {
  for (const length of [20_000, 200_000, 2_000_000]) {
    const long = 'x'.repeat(length)
    assertRawProblem(await answerTo(`GET /${long} HTTP/1.1\r\n`), 431, 'headers_too_large')
    assertRawProblem(await answerTo(head('GET / HTTP/1.1', host, `X: ${long}`)), 431, 'headers_too_large')
  }
  assertRawProblem(await answerTo('GET / HTTP/9.9\r\n\r\n'), 400, 'invalid_request')
})

test('Expect: 100-continue over the limit is 413 at once; otherwise 100 is sent when the body is read', async () => {
  const expecting = (line: string, ...headers: string[]) => head(line, host, 'Expect: 100-continue', ...headers)
  for (const answer of [
    await answerTo(expecting('PUT /pages/docs/big HTTP/1.1', key(), 'Content-Length: 100001')),
    await answerTo(
      expecting('PUT /pages/docs/big HTTP/1.1', key(), 'Content-Type: application/json', 'Content-Length: 9000000'),
    ),
    await answerTo(
      expecting('POST /spaces HTTP/1.1', key(), 'Content-Type: application/json', 'Content-Length: 2000000'),
    ),
    await answerTo(
      expecting('POST /spaces/docs/import HTTP/1.1', key(), 'Content-Type: application/json', 'Content-Length: 100001'),
    ),
  ]) {
    assertRawProblem(answer, 413, 'payload_too_large')
  }
  const unauthorized = await answerTo(expecting('PUT /pages/docs/big HTTP/1.1', 'Content-Length: 3'))
  assertRawProblem(unauthorized, 401, 'unauthorized')
  const written = await answerTo(expecting('PUT /pages/docs/new HTTP/1.1', key(), 'Content-Length: 3'), 'abc')
  assert.match(written, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/)
  assert.equal((await service.admin.get('/pages/docs/new.md')).text, 'abc')
})
