import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { RefusedError, UnreachableError } from '../../src/client/errors.ts'
import { send } from '../../src/client/request.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A server that answers each request with the next handler, and the last one from then on. */
async function answering(...handlers: Handler[]) {
  let calls = 0
  const server = createServer((request, response) => {
    const handler = handlers[Math.min(calls++, handlers.length - 1)]
    handler?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const refuse =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(status, headers).end(JSON.stringify({ code: 'word', detail: `told ${status}` }))
const fine: Handler = (_request, response) => response.end('fine')
const hangUp: Handler = (request) => request.socket.destroy()
const get = { method: 'GET', target: '/' } as const

test('429, 503 and lost connections are tried again until there is an answer', async () => {
  await using server = await answering(refuse(503), hangUp, refuse(429, { 'Retry-After': '0' }), fine)
  const answer = await send({ url: server.url, key: 'k', patienceMs: 10_000 }, get)
  assert.equal(Buffer.from(answer.body).toString(), 'fine')
  assert.equal(server.calls(), 4)
})

test('Retry-After is waited for', async () => {
  await using server = await answering(refuse(429, { 'Retry-After': '1' }), fine)
  const before = performance.now()
  await send({ url: server.url, key: 'k', patienceMs: 10_000 }, get)
  assert.ok(performance.now() - before >= 990)
})

test('without patience the first word is the last: a refusal, or that nobody answers', async () => {
  await using server = await answering(refuse(503, { 'Retry-After': '7' }))
  await assert.rejects(send({ url: server.url, key: 'k', patienceMs: 0 }, get), (error) => {
    assert.ok(error instanceof RefusedError)
    assert.deepEqual([error.status, error.code, error.message], [503, 'word', 'told 503'])
    return true
  })
  await assert.rejects(send({ url: 'http://127.0.0.1:1', key: 'k', patienceMs: 0 }, get), UnreachableError)
})

test('other refusals are not tried again, whatever their body is', async () => {
  await using server = await answering((_request, response) => response.writeHead(502).end('<html>'))
  await assert.rejects(send({ url: server.url, key: 'k', patienceMs: 10_000 }, get), {
    status: 502,
    code: 'unknown',
  })
  assert.equal(server.calls(), 1)
})
