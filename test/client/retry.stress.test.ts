import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Connection } from '@recto/client/transport/connection.ts'
import { ApiError, ConnectionError } from '@recto/client/transport/errors.ts'
import { send } from '@recto/client/transport/request.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A server that answers each request with the next handler, and the last one from then on. */
async function startServer(...handlers: Handler[]) {
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

const fail =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(status, headers).end(JSON.stringify({ code: 'code', detail: `status ${status}` }))
const fine: Handler = (_request, response) => response.end('fine')
const hangUp: Handler = (request) => request.socket.destroy()
const connectTo = (url: string, options: Partial<Connection> = {}): Connection => ({
  url,
  key: 'k',
  timeout: 60_000,
  maxRetries: Number.POSITIVE_INFINITY,
  retryTimeout: 10_000,
  ...options,
})
const get = { method: 'GET', target: '/' } as const

test('429, 503 and connection errors are retried until the service responds', async () => {
  await using server = await startServer(fail(503), hangUp, fail(429, { 'Retry-After': '0' }), fine)
  const answer = await send(connectTo(server.url), get)
  assert.equal(Buffer.from(answer.body).toString(), 'fine')
  assert.equal(server.calls(), 4)
})

test('a retry waits as long as Retry-After says', async () => {
  await using server = await startServer(fail(429, { 'Retry-After': '1' }), fine)
  const before = performance.now()
  await send(connectTo(server.url), get)
  assert.ok(performance.now() - before >= 990)
})

test('with a retry timeout of 0 the first error is thrown', async () => {
  await using server = await startServer(fail(503, { 'Retry-After': '7' }))
  await assert.rejects(send(connectTo(server.url, { retryTimeout: 0 }), get), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code, error.message], [503, 'code', 'status 503'])
    return true
  })
  await assert.rejects(send(connectTo('http://127.0.0.1:1', { retryTimeout: 0 }), get), ConnectionError)
})

test('other errors are not retried, whatever their body is', async () => {
  await using server = await startServer((_request, response) => response.writeHead(500).end('<html>'))
  await assert.rejects(send(connectTo(server.url), get), { status: 500, code: 'unknown' })
  assert.equal(server.calls(), 1)
})

test('all attempts of a write have the same Idempotency-Key, and other writes another one', async () => {
  const keys: (string | undefined)[] = []
  const note: Handler = (request, response) => {
    keys.push(request.headers['idempotency-key'] as string | undefined)
    ;(keys.length === 1 ? fail(503) : fine)(request, response)
  }
  await using server = await startServer(note)
  const connection = connectTo(server.url)
  await send(connection, { method: 'POST', target: '/', body: '{}' })
  await send(connection, { method: 'PATCH', target: '/', body: '{}' })
  assert.equal(keys[0], keys[1])
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  assert.notEqual(keys[1], keys[2])
  await send(connection, get)
  assert.equal(keys[3], undefined)
})

test('a request that is not idempotent is retried only after 429, and an import also when too many run', async () => {
  const create = { method: 'POST', target: '/', body: '{}', notIdempotent: true } as const
  await using away = await startServer(fail(503))
  await assert.rejects(send(connectTo(away.url), create), { status: 503 })
  await using lost = await startServer(hangUp)
  await assert.rejects(send(connectTo(lost.url), create), ConnectionError)
  assert.deepEqual([away.calls(), lost.calls()], [1, 1])
  await using busy = await startServer(fail(429, { 'Retry-After': '0' }), fine)
  await send(connectTo(busy.url), create)
  assert.equal(busy.calls(), 2)
  const importBusy: Handler = (_request, response) =>
    response.writeHead(503, { 'Retry-After': '0' }).end(JSON.stringify({ code: 'import_busy', detail: '' }))
  await using crowded = await startServer(importBusy, fine)
  await send(connectTo(crowded.url), create)
  assert.equal(crowded.calls(), 2)
})

test('404 in a retry of a deletion is a success', async () => {
  await using server = await startServer(hangUp, fail(404))
  const answer = await send(connectTo(server.url), { method: 'DELETE', target: '/' })
  assert.equal(answer.status, 404)
  await assert.rejects(send(connectTo(server.url), { method: 'DELETE', target: '/' }), { status: 404 })
})

test('a signal aborts a request, and the wait before a retry', async () => {
  await using server = await startServer(fail(503, { 'Retry-After': '600' }))
  const patient = connectTo(server.url, { retryTimeout: 1_000_000 })
  const reason = new Error('enough')
  const stop = new AbortController()
  const waiting = send(patient, { ...get, call: { signal: stop.signal } })
  setTimeout(() => stop.abort(reason), 100)
  await assert.rejects(waiting, reason)
  await assert.rejects(send(patient, { ...get, call: { signal: AbortSignal.abort(reason) } }), reason)
  await using silent = await startServer(() => {})
  const short = AbortSignal.timeout(100)
  await assert.rejects(send(connectTo(silent.url, { retryTimeout: 1_000_000 }), { ...get, call: { signal: short } }), {
    name: 'TimeoutError',
  })
})

test('redirects are followed on request, else they are errors', async () => {
  const moved = fail(308, { Location: '/new' })
  await using server = await startServer(moved, fine)
  const connection = connectTo(server.url, { retryTimeout: 0 })
  assert.equal((await send(connection, { ...get, redirect: 'follow' })).status, 200)
  await using other = await startServer(moved)
  await assert.rejects(send(connectTo(other.url, { retryTimeout: 0 }), get), { status: 308 })
})

test('idempotency_in_flight is retried until the response is there', async () => {
  const inFlight: Handler = (_request, response) =>
    response
      .writeHead(409, { 'Retry-After': '0' })
      .end(JSON.stringify({ code: 'idempotency_in_flight', detail: 'under way' }))
  await using server = await startServer(hangUp, inFlight, fine)
  const answer = await send(connectTo(server.url), { method: 'POST', target: '/', body: '{}' })
  assert.equal(answer.status, 200)
  assert.equal(server.calls(), 3)
})

test('an upload that makes no progress ends after twice the timeout, and one that does takes its time', async () => {
  const blob = new Blob([new Uint8Array(32 * 1024 * 1024)])
  const upload = { method: 'PUT', target: '/', body: blob, onProgress: () => {}, timeout: 0 } as const
  // The request is never read, as on a connection that is half open.
  await using silent = await startServer(() => {})
  const connection = connectTo(silent.url, { timeout: 500, retryTimeout: 0 })
  await assert.rejects(send(connection, upload), /no response within 1000 ms/)
  await using server = await startServer((request, response) => {
    request.resume().on('end', () => response.end('fine'))
  })
  const started = performance.now()
  const slow = { ...upload, body: new SlowBlob() }
  await send(connectTo(server.url, { timeout: 1_500, retryTimeout: 0 }), slow)
  assert.ok(performance.now() - started > 3_000)
})

test('the progress of bytes, blobs and streams is reported in small parts', async () => {
  const bytes = new Uint8Array(1_000_000).map((_, index) => index % 251)
  const received: Buffer[] = []
  await using server = await startServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    received.push(Buffer.concat(parts))
    response.end('fine')
  })
  for (const body of [bytes, new Blob([bytes]), new Blob([bytes]).stream()]) {
    const seen: number[] = []
    const onProgress = (sent: number) => seen.push(sent)
    await send(connectTo(server.url), { method: 'PUT', target: '/', body, onProgress, timeout: 0 })
    assert.ok(seen.length > 10, `${seen}`)
    assert.equal(seen.at(-1), bytes.length)
    assert.ok(received.at(-1)?.equals(bytes))
  }
})

/** Has another part every 100 ms. */
class SlowBlob extends Blob {
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    let parts = 0
    return new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        if (++parts > 40) controller.close()
        else controller.enqueue(new Uint8Array(1024))
      },
    })
  }
}
