import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import { shutDownGracefully } from '../graceful-shutdown.ts'
import { addHooks } from '../hooks.ts'
import { completeRequest, openScope, reenterScope, requireClient } from '../request-scope.ts'
import type { Server } from '../server.ts'
import { limitLargeBodies } from './body-limits.ts'

/** Of one, 16 kB are over what is free. */
const LARGE = 'x'.repeat(80_000)
/** The error handler, which sets the status of the code, is not part of this. */
const BUSY = 400
const app = Fastify() as unknown as Server // as far as the budget is concerned
const begun: (() => void)[] = []
let base: string

function limitBodies(server: Server, options: Parameters<typeof limitLargeBodies>[1]): void {
  server.decorateRequest('scope', undefined)
  addHooks(server, {
    onRequest: [openScope],
    preParsing: [requireClient, limitLargeBodies(server, options).meter],
    preValidation: [reenterScope],
    onSend: [completeRequest],
  })
}

before(async () => {
  limitBodies(app, { bytes: 20_000, waitMs: 300, closingMs: 5_000 })
  app.addContentTypeParser('text/markdown', { parseAs: 'string' }, async (_: unknown, body: string) => body)
  app.put('/held', async () => {
    await new Promise<void>((resolve) => begun.push(resolve))
    return 'done'
  })
  app.put('/quick', async () => 'done')
  await app.listen({ host: '127.0.0.1', port: 0 })
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
after(() => app.close())

async function put(
  path: string,
  body: string,
  at = base,
): Promise<{ readonly status: number; readonly code: unknown }> {
  const answer = await fetch(at + path, { method: 'PUT', headers: { 'content-type': 'text/markdown' }, body })
  const text = await answer.text()
  return { status: answer.status, code: answer.ok ? text : JSON.parse(text).code }
}

async function untilBegun(count: number): Promise<void> {
  while (begun.length < count) await new Promise(setImmediate)
}

test('large bodies over the budget wait in order, then are rejected; small ones are admitted', async () => {
  const first = put('/held', LARGE)
  await untilBegun(1)
  const rejected = await put('/quick', LARGE)
  assert.deepEqual(rejected, { status: BUSY, code: 'markdown_busy' })
  assert.equal((await put('/quick', 'small')).status, 200)
  const waiting = put('/quick', LARGE)
  begun.shift()?.()
  assert.equal((await first).status, 200)
  assert.equal((await waiting).status, 200)
})

test('a client that disconnects while it waits takes no budget; during the work its budget stays reserved', async () => {
  const headers = { 'content-type': 'text/markdown', 'content-length': LARGE.length }
  const leaving = request(`${base}/held`, { method: 'PUT', headers })
  leaving.on('error', () => {})
  leaving.end(LARGE)
  await untilBegun(1)
  const closed = new Promise((resolve) => leaving.once('close', resolve))
  leaving.destroy()
  await closed
  assert.equal((await put('/quick', LARGE)).status, BUSY)
  begun.shift()?.()
  assert.equal((await put('/quick', LARGE)).status, 200)
})

test('a body larger than the budget is admitted when no other is', async () => {
  assert.equal((await put('/quick', 'x'.repeat(300_000))).status, 200)
})

test('unfinished bodies take what has arrived of them, whatever their length is, and the first 64 KiB are free', async () => {
  const open = Array.from({ length: 20 }, (_, n) => {
    const length = n % 2 === 0 ? { 'content-length': 1_000_000 } : { 'transfer-encoding': 'chunked' }
    const headers = { 'content-type': 'text/markdown', ...length }
    const unfinished = request(`${base}/quick`, { method: 'PUT', headers })
    unfinished.on('error', () => {})
    unfinished.write('twenty bytes, no more')
    return unfinished
  })
  const chunks = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 50; n++) controller.enqueue(Buffer.from('x'.repeat(1000)))
      controller.close()
    },
  })
  const small = { method: 'PUT', headers: { 'content-type': 'text/markdown' }, body: chunks, duplex: 'half' }
  assert.equal((await fetch(`${base}/quick`, small as RequestInit)).status, 200)
  assert.equal((await put('/quick', LARGE)).status, 200)
  for (const unfinished of open) unfinished.destroy()
})

test('bodies in chunks that grow beside each other all arrive', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => put('/quick', 'x'.repeat(200_000))))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
})

test('when the service stops, waiting bodies are rejected after a delay, and admitted ones are processed', async () => {
  const closing = Fastify() as unknown as Server
  shutDownGracefully(closing)
  limitBodies(closing, { bytes: 20_000, waitMs: 60_000, closingMs: 50 })
  closing.addContentTypeParser('text/markdown', { parseAs: 'string' }, async (_: unknown, body: string) => body)
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  closing.put('/held', async () => {
    enter()
    await freed
    return 'done'
  })
  let arrived = 0
  const { promise: bothArrived, resolve: bothArrive } = Promise.withResolvers<void>()
  closing.server.on('request', () => ++arrived === 2 && bothArrive())
  await closing.listen({ host: '127.0.0.1', port: 0 })
  const at = `http://127.0.0.1:${(closing.server.address() as AddressInfo).port}`
  const first = put('/held', LARGE, at)
  await entered
  const waiting = put('/held', LARGE, at)
  await bothArrived
  const closed = closing.close()
  assert.deepEqual(await waiting, { status: BUSY, code: 'markdown_busy' })
  free()
  assert.equal((await first).status, 200)
  await closed
})
