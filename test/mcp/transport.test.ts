import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { connectAgent } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('a request without a valid key is 401', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const answer = await service.nobody.post('/mcp', body)
  assert.equal(answer.status, 401)
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
  assert.equal((await service.as('svc_wrong').post('/mcp', body)).status, 401)
})

test('a foreign Origin or Host is rejected', async () => {
  const send = (headers: Record<string, string>) =>
    service.admin.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { accept: 'application/json, text/event-stream', ...headers },
    )
  assertStatus(await send({}), 200)
  assertStatus(await send({ origin: service.app.address }), 200)
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
    const answer = assertStatus(await send({ origin }), 403)
    assert.equal(answer.json.code, 'cross_site')
  }
})

test('DNS rebinding is rejected; IP addresses and localhost are accepted as Host', async () => {
  const { port } = new URL(service.app.address)
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host,
        authorization: `Bearer ${service.admin.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      request(`${service.app.address}/mcp`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    })
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '[::1]', '10.1.2.3:80']) {
    assert.equal(await statusFor(host), 200, host)
  }
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example']) {
    assert.equal(await statusFor(host), 403, host)
  }
})

test('GET and DELETE are 405, because there are no sessions', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await service.admin.call(method, '/mcp', { headers: { accept: 'text/event-stream' } })
    assertStatus(answer, 405)
    assert.match(answer.headers.get('allow') ?? '', /POST/)
  }
})

test('a body that is not JSON is a JSON-RPC error, and another content type is rejected', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const answer = assertStatus(await service.admin.call('POST', '/mcp', { headers, body: '{"a":' }), 400)
  assert.equal(answer.json.error.code, -32700)
  assertStatus(await service.admin.call('POST', '/mcp', { headers: { 'content-type': 'text/plain' }, body: 'x' }), 415)
})

test('a batch is processed, and a batch over the limit is rejected', async () => {
  const headers = { accept: 'application/json, text/event-stream' }
  const batch = (size: number) =>
    Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
  const answer = assertStatus(await service.admin.post('/mcp', batch(2), headers), 200)
  assert.equal(answer.text.match(/"tools":/g)?.length, 2)
  assert.equal(assertStatus(await service.admin.post('/mcp', batch(21), headers), 400).json.error.code, -32600)
})

test('a batch that cancels its own request is answered', async () => {
  const headers = { accept: 'application/json, text/event-stream' }
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  ]
  const answer = assertStatus(await service.admin.post('/mcp', batch, headers), 200)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(answer.json.id, 1)
})

test('an open subscription does not delay the shutdown', async () => {
  const other = await startService()
  const modern = await connectAgent(other.app.address, other.admin.key, true)
  await modern.client.listen({ resourcesListChanged: true })
  const late = setTimeout(() => assert.fail('the service did not stop'), 20_000)
  await other[Symbol.asyncDispose]()
  clearTimeout(late)
  await modern[Symbol.asyncDispose]()
})
