import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ApiError, ConnectionError } from '../../src/client/errors.ts'
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
  const answer = await send({ url: server.url, key: 'k', retryTimeoutMs: 10_000 }, get)
  assert.equal(Buffer.from(answer.body).toString(), 'fine')
  assert.equal(server.calls(), 4)
})

test('Retry-After is waited for', async () => {
  await using server = await answering(refuse(429, { 'Retry-After': '1' }), fine)
  const before = performance.now()
  await send({ url: server.url, key: 'k', retryTimeoutMs: 10_000 }, get)
  assert.ok(performance.now() - before >= 990)
})

test('without patience the first word is the last: a refusal, or that nobody answers', async () => {
  await using server = await answering(refuse(503, { 'Retry-After': '7' }))
  await assert.rejects(send({ url: server.url, key: 'k', retryTimeoutMs: 0 }, get), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code, error.message], [503, 'word', 'told 503'])
    return true
  })
  await assert.rejects(send({ url: 'http://127.0.0.1:1', key: 'k', retryTimeoutMs: 0 }, get), ConnectionError)
})

test('other refusals are not tried again, whatever their body is', async () => {
  await using server = await answering((_request, response) => response.writeHead(502).end('<html>'))
  await assert.rejects(send({ url: server.url, key: 'k', retryTimeoutMs: 10_000 }, get), {
    status: 502,
    code: 'unknown',
  })
  assert.equal(server.calls(), 1)
})

test('what has an effect carries one Idempotency-Key in all attempts, and each request another', async () => {
  const keys: (string | undefined)[] = []
  const note: Handler = (request, response) => {
    keys.push(request.headers['idempotency-key'] as string | undefined)
    ;(keys.length === 1 ? refuse(503) : fine)(request, response)
  }
  await using server = await answering(note)
  const connection = { url: server.url, key: 'k', retryTimeoutMs: 10_000 }
  await send(connection, { method: 'POST', target: '/', body: '{}' })
  await send(connection, { method: 'PATCH', target: '/', body: '{}' })
  assert.equal(keys[0], keys[1])
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  assert.notEqual(keys[1], keys[2])
  await send(connection, get)
  assert.equal(keys[3], undefined)
})

test('what makes a secret is sent again only where it was surely not taken up', async () => {
  const once = { method: 'POST', target: '/', body: '{}', once: true } as const
  await using away = await answering(refuse(503))
  await assert.rejects(send({ url: away.url, key: 'k', retryTimeoutMs: 10_000 }, once), { status: 503 })
  await using lost = await answering(hangUp)
  await assert.rejects(send({ url: lost.url, key: 'k', retryTimeoutMs: 10_000 }, once), ConnectionError)
  assert.deepEqual([away.calls(), lost.calls()], [1, 1])
  await using busy = await answering(refuse(429, { 'Retry-After': '0' }), fine)
  await send({ url: busy.url, key: 'k', retryTimeoutMs: 10_000 }, once)
  assert.equal(busy.calls(), 2)
})

test('a deletion whose answer was lost is done when nothing is there any more', async () => {
  await using server = await answering(hangUp, refuse(404))
  const answer = await send(
    { url: server.url, key: 'k', retryTimeoutMs: 10_000 },
    { method: 'DELETE', target: '/' },
  )
  assert.equal(answer.status, 404)
  await assert.rejects(
    send({ url: server.url, key: 'k', retryTimeoutMs: 10_000 }, { method: 'DELETE', target: '/' }),
    { status: 404 },
  )
})

test('a signal ends a request, and the wait before the next attempt', async () => {
  await using server = await answering(refuse(503, { 'Retry-After': '600' }))
  const patient = { url: server.url, key: 'k', retryTimeoutMs: 1_000_000 }
  const reason = new Error('enough')
  const stop = new AbortController()
  const waiting = send(patient, { ...get, signal: stop.signal })
  setTimeout(() => stop.abort(reason), 100)
  await assert.rejects(waiting, reason)
  await assert.rejects(send(patient, { ...get, signal: AbortSignal.abort(reason) }), reason)
  await using silent = await answering(() => {})
  const short = AbortSignal.timeout(100)
  await assert.rejects(send({ ...patient, url: silent.url }, { ...get, signal: short }), {
    name: 'TimeoutError',
  })
})

test('a redirect is followed where that is asked for, and refused elsewhere', async () => {
  const moved = refuse(308, { Location: '/new' })
  await using server = await answering(moved, fine)
  const connection = { url: server.url, key: 'k', retryTimeoutMs: 0 }
  assert.equal((await send(connection, { ...get, redirect: 'follow' })).status, 200)
  await using other = await answering(moved)
  await assert.rejects(send({ ...connection, url: other.url }, get), { status: 308 })
})

test('a request that is still being worked on is asked for again until its answer is there', async () => {
  const inFlight: Handler = (_request, response) =>
    response
      .writeHead(409, { 'Retry-After': '0' })
      .end(JSON.stringify({ code: 'idempotency_in_flight', detail: 'under way' }))
  await using server = await answering(hangUp, inFlight, fine)
  const answer = await send(
    { url: server.url, key: 'k', retryTimeoutMs: 10_000 },
    { method: 'POST', target: '/', body: '{}' },
  )
  assert.equal(answer.status, 200)
  assert.equal(server.calls(), 3)
})
