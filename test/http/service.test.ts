import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { ERRORS } from '@recto/contract/error-table.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, section 1: what holds for every endpoint.
let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

test('a missing or invalid key is 401 with WWW-Authenticate: Bearer', async () => {
  const none = assertProblem(await service.nobody.get('/me'), 401, 'unauthorized')
  assert.match(none.headers.get('www-authenticate') ?? '', /^Bearer/)
  const mistyped = `${service.admin.key?.slice(0, -1)}${service.admin.key?.endsWith('0') ? '1' : '0'}`
  for (const authorization of [
    `Bearer ${mistyped}`,
    'Bearer x',
    'Basic eDp5',
    'Bearer',
    `Bearer svc_${'a'.repeat(36)}`,
  ]) {
    const answer = assertProblem(await service.nobody.get('/me', { authorization }), 401, 'unauthorized')
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="recto", error="invalid_token"$/)
  }
})

test('/me returns the principal and the permissions of the key', async () => {
  const { id, ...rest } = assertStatus(await service.admin.get('/me'), 200).json
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.deepEqual(rest, { name: 'Admin', kind: 'human', role: 'admin', scopes: ['read', 'propose', 'write', 'admin'] })
})

test('an unsupported method is 405 with Allow', async () => {
  const answer = assertProblem(await service.admin.delete('/spaces'), 405, 'method_not_allowed')
  assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS, POST')
  assertProblem(await service.admin.post('/pages/docs/x/versions'), 405, 'method_not_allowed')
  assertProblem(await service.admin.put('/pages/docs/x/versions/1', 'body'), 405, 'method_not_allowed')
  const options = assertStatus(await service.nobody.call('OPTIONS', '/me'), 204)
  assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS')
})

test('an unknown URL is 404, with or without a key', async () => {
  for (const client of [service.admin, service.nobody])
    assertProblem(await client.get('/nothing/here'), 404, 'not_found')
})

test('every response has X-Request-Id; a valid one of a proxy is kept', async () => {
  for (const path of ['/healthz', '/me', '/nothing', '/pages/docs/x']) {
    assert.ok((await service.admin.get(path)).headers.get('x-request-id'))
  }
  const kept = await service.admin.get('/me', { 'x-request-id': 'proxy-1.2:3' })
  assert.equal(kept.headers.get('x-request-id'), 'proxy-1.2:3')
  const replaced = await service.admin.get('/me', { 'x-request-id': 'a b"<script>' })
  assert.match(replaced.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
})

test('a request that is not HTTP gets a problem document', async () => {
  const answers = async (bytes: string) => {
    const { hostname, port } = new URL(service.app.address)
    const socket = connect(Number(port), hostname)
    socket.end(bytes)
    let text = ''
    for await (const chunk of socket) text += chunk
    return text
  }
  assert.match(await answers('BOGUS\r\n\r\n'), /^HTTP\/1.1 400 .*application\/problem\+json.*"code":"invalid_request"/s)
  const large = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
  assert.match(await answers(large), /^HTTP\/1.1 431 .*"code":"headers_too_large"/s)
})

test('every error code is explained under /problems', async () => {
  for (const code of Object.keys(ERRORS)) {
    const answer = assertStatus(await service.nobody.get(`/problems/${code}`), 200)
    assert.equal(answer.json.code, code)
    assert.ok(answer.json.explanation.length > 20)
  }
  assertProblem(await service.nobody.get('/problems/constructor'), 404, 'not_found')
})

test('/healthz, /readyz and /metrics respond, and requests are counted by route', async () => {
  assert.deepEqual(assertStatus(await service.nobody.get('/healthz'), 200).json, { status: 'ok' })
  assert.deepEqual(assertStatus(await service.nobody.get('/readyz'), 200).json, { status: 'ready' })
  await service.admin.put('/pages/docs/secret-path', 'x')
  const { text } = assertStatus(await service.nobody.get('/metrics'), 200)
  assert.match(
    text,
    /recto_http_request_duration_seconds_count\{method="PUT",route="\/pages\/:space\/:path",status="201"\} 1/,
  )
  assert.doesNotMatch(text, /secret-path/)
})

test('/openapi.json is OpenAPI 3.1 and describes every route', async () => {
  const { json } = assertStatus(await service.nobody.get('/openapi.json'), 200)
  assert.match(json.openapi, /^3\.1\./)
  assert.equal(json.servers[0].url, service.app.address)
  for (const path of [
    '/pages/{space}/{path}',
    '/pages/{space}/{path}/versions',
    '/pages/{space}/{path}/versions/{n}',
    '/pages/{space}/{path}/versions/{n}/make-latest',
    '/pages/personal',
    '/pages/recent',
    '/spaces',
    '/spaces/{space}',
    '/spaces/{space}/pages',
    '/me',
  ]) {
    assert.ok(json.paths[path], path)
  }
  for (const [path, item] of Object.entries(json.paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, { summary?: string; tags?: string[] }>)) {
      assert.ok(operation.summary, `${method} ${path} has no summary`)
      assert.equal(operation.tags?.length, 1, `${method} ${path} has no tag`)
    }
  }
})

test('an error of a browser navigation is an HTML page', async () => {
  const headers = { authorization: `Bearer ${service.admin.key}`, 'sec-fetch-mode': 'navigate', accept: 'text/html' }
  // Not by fetch, which says of itself that it does not navigate.
  const [answer] = (await once(request(`${service.app.address}/pages/docs/never`, { headers }).end(), 'response')) as [
    IncomingMessage,
  ]
  assert.equal(answer.statusCode, 404)
  assert.match(answer.headers['content-type'] ?? '', /^text\/html/)
  answer.resume()
})

test('/.well-known/api-catalog links to the documents of the API, without a key', async () => {
  const answer = assertStatus(await service.nobody.get('/.well-known/api-catalog'), 200)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/linkset\+json; profile=/)
  const [{ anchor, ...links }] = answer.json.linkset
  assert.equal(anchor, `${service.app.address}/`)
  for (const [{ href, type = '' }] of Object.values(links) as [{ href: string; type?: string }][]) {
    const found = assertStatus(await service.nobody.get(href.slice(service.app.address.length)), 200)
    assert.ok(found.headers.get('content-type')?.startsWith(type), href)
  }
})

test('the OpenAPI document describes bodies of every media type, empty responses and errors', async () => {
  const { paths } = assertStatus(await service.nobody.get('/openapi.json'), 200).json
  const { put, get } = paths['/pages/{space}/{path}']
  const text = { schema: { type: 'string' } }
  assert.deepEqual(paths['/pages/{space}/{path}.md'].put.requestBody.content, { 'text/plain': text })
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  assert.deepEqual(put.requestBody.content['application/json'].schema, reference('NewRevision'))
  assert.equal(put.requestBody.required, true)
  assert.deepEqual(get.responses['200'].content['text/html'], text)
  assert.deepEqual(get.responses['200'].content['application/json'].schema, {
    anyOf: [reference('Blame'), reference('PageWithBody')],
  })
  assert.ok(get.responses['304'])
  for (const [path, methods] of Object.entries<Record<string, Operation>>(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const { $ref = '' } = responses[500] ?? {}
      assert.match($ref, /^#\/components\/responses\/internal_error(?:\.storage_damaged)?$/, `${method} ${path}`)
      const successful = Object.keys(responses).filter((status) => Number(status) < 300)
      if (method === 'delete') assert.deepEqual(successful, REMOVED[path] ?? ['204'], path)
    }
  }
})

/** Deletions with a response: who can read the folder of a rule since then, and the change request of a proposal. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  '/spaces/{space}/rules/{prefix}': ['200'],
  '/pages/{space}/{path}': ['202', '204'],
  '/files/{space}/{path}': ['202', '204'],
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}
