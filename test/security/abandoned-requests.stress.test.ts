import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'
import { scrape } from '../support/metrics.ts'
import { type PausingProxy, startPausingProxy } from '../support/pausing-proxy.ts'
import { newPerson } from '../support/people.ts'
import { createTestDatabase } from '../support/test-database.ts'

const REQUESTS = Number(process.env.RECTO_ABANDONED_REQUESTS ?? 2_000)
const AT_ONCE = 40
const stack = new AsyncDisposableStack()
let service: LocalService
let proxy: PausingProxy
let admin: Client

before(async () => {
  const { url, connection } = stack.use(await createTestDatabase())
  proxy = stack.use(await startPausingProxy(`${connection.host}/.s.PGSQL.${connection.port}`))
  const proxied = new URL(url)
  proxied.hostname = '127.0.0.1'
  proxied.port = String(proxy.port)
  proxied.searchParams.delete('host')
  service = stack.use(await startLocalService({ SVC_DATABASE_URL: proxied.href, SVC_MAX_CONCURRENT_REQUESTS: '32' }))
  admin = service.admin
  await admin.space('docs')
  assertStatus(await admin.put('/pages/docs/page', '# Page'), 201)
})
after(() => stack.disposeAsync())

interface Sent {
  readonly head: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** How much of the body is sent. */
  readonly sent?: number
}

/** Sends a request on a connection of its own. */
function open(key: string, { head, headers = {}, body, sent }: Sent): Promise<Socket> {
  const { hostname, port } = new URL(service.app.address)
  const isChunked = headers['transfer-encoding'] !== undefined
  const all = {
    host: hostname,
    authorization: `Bearer ${key}`,
    ...(body !== undefined && !isChunked && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const payload = isChunked ? `${(body ?? '').length.toString(16)}\r\n${body}\r\n` : (body ?? '')
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head} HTTP/1.1\r\n${lines.join('')}\r\n${payload.slice(0, sent)}`, () => resolve(socket))
    })
    // The service may close it first.
    socket.on('error', () => resolve(socket))
    socket.resume()
  })
}

const GAUGES =
  /^recto_(?:held|http_requests_open|feed_readers|page_writers_waiting|worker_jobs_|database_pool_(?:connections\{state="in_use|waiting))/

/** The scrape itself is a request, and its values take connections. */
const limitOf = (name: string) => (name.startsWith('recto_database') ? 3 : /requests_open/.test(name) ? 1 : 0)

/** Waits until nothing that requests hold is held, and fails with what is. */
async function assertNothingHeld(about: string): Promise<void> {
  let gauges: (readonly [string, number])[] = []
  try {
    await until(async () => {
      const { samples } = await scrape(service.nobody)
      gauges = [...samples].filter(([name]) => GAUGES.test(name))
      return gauges.every(([name, value]) => value <= limitOf(name))
    }, 20_000)
  } catch (cause) {
    const held = gauges.filter(([name, value]) => value > limitOf(name))
    throw new Error(`${about}: still held: ${JSON.stringify(held)}`, { cause })
  }
  // A gauge that is gone would hide a leak.
  const resources = gauges.flatMap(([name]) => /^recto_held\{resource="(\w+)"/.exec(name)?.[1] ?? [])
  assert.deepEqual(resources.sort(), [
    'bodies',
    'feed_followers',
    'idempotency_keys',
    'imports',
    'page_locks',
    'requests',
    'requests_waiting',
    'rights_watches',
    'streams',
  ])
}

const JSON_TYPE = { 'content-type': 'application/json' }
const MARKDOWN = { 'content-type': 'text/markdown' }
const CHUNKED = { 'transfer-encoding': 'chunked' }
const FORM = { 'content-type': 'multipart/form-data; boundary=b' }
const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\ntext\r\n--b--\r\n'
const LARGE = `# Large\n\n${'text '.repeat(40_000)}`
const listen = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} })
const ACCEPT_BOTH = { accept: 'application/json, text/event-stream' }

/** A request for each resource that a request holds. */
const HOLDING: Readonly<Record<string, Sent>> = {
  'a slot': { head: 'GET /me' },
  'a long poll': { head: 'GET /changes?since=now&wait=30' },
  'a stream of changes': { head: 'GET /changes?since=now', headers: { accept: 'text/event-stream' } },
  'the head of a stream': { head: 'HEAD /changes?since=now', headers: { accept: 'text/event-stream' } },
  'a subscription of MCP': { head: 'POST /mcp', headers: { ...JSON_TYPE, ...ACCEPT_BOTH }, body: listen },
  'the stream of a session of MCP': {
    head: 'GET /mcp',
    headers: { accept: 'text/event-stream', 'mcp-session-id': 'x' },
  },
  'a page that has arrived': { head: 'PUT /pages/docs/small', headers: MARKDOWN, body: '# Small' },
  'the budget of large bodies': { head: 'PUT /pages/docs/large', headers: MARKDOWN, body: LARGE },
  'a part of a large body': { head: 'PUT /pages/docs/part', headers: MARKDOWN, body: LARGE, sent: 100_000 },
  'a body in chunks': { head: 'PUT /pages/docs/chunks', headers: { ...MARKDOWN, ...CHUNKED }, body: LARGE },
  'a lease of a key': {
    head: 'PATCH /pages/docs/page/metadata',
    headers: { ...JSON_TYPE, 'idempotency-key': 'leased' },
    body: '{"set":{"a":1}}',
  },
  'the lock of a page': { head: 'PATCH /pages/docs/page/metadata', headers: JSON_TYPE, body: '{"append":{"b":1}}' },
  'an upload': { head: 'PUT /files/docs/a.txt', body: LARGE, sent: 1000 },
  'an upload with a key': {
    head: 'PUT /files/docs/a.txt',
    headers: { 'idempotency-key': 'upload' },
    body: LARGE,
    sent: 1000,
  },
  'a form with files': { head: 'POST /files/docs', headers: FORM, body: form },
  'a form with files and a key': {
    head: 'POST /files/docs',
    headers: { ...FORM, 'idempotency-key': 'form' },
    body: form,
    sent: 40,
  },
  'an import': { head: 'POST /spaces/docs/import', headers: JSON_TYPE, body: '{"format":"page-bundle"}' },
  'an import that never ends': { head: 'POST /spaces/docs/import', headers: JSON_TYPE, body: LARGE, sent: 20 },
  'an export': { head: 'GET /spaces/docs/export' },
}

for (const [about, sent] of Object.entries(HOLDING)) {
  test(`a client that leaves while its key is looked up keeps nothing: ${about}`, async () => {
    // A key that is new to the node has to be looked up.
    const { key, client } = await newPerson(admin, about, { role: 'admin' })
    proxy.pause()
    const sockets = await Promise.all(Array.from({ length: AT_ONCE }, () => open(key, sent)))
    await fetch(`${service.app.address}/healthz`)
    for (const socket of sockets) socket.destroy()
    // The service has seen their ends before it answers this.
    await fetch(`${service.app.address}/healthz`)
    await fetch(`${service.app.address}/healthz`)
    proxy.resume()
    await assertNothingHeld(about)
    assertStatus(await client.get('/me'), 200)
  })

  test(`a client that leaves after its key was looked up keeps nothing: ${about}`, async () => {
    const { key, client } = await newPerson(admin, about, { role: 'admin' })
    assertStatus(await client.get('/me'), 200)
    const sockets = await Promise.all(Array.from({ length: AT_ONCE }, () => open(key, sent)))
    for (const [index, socket] of sockets.entries()) {
      if (index % 10 === 0) await fetch(`${service.app.address}/healthz`)
      socket.destroy()
    }
    await assertNothingHeld(about)
    assertStatus(await client.get('/me'), 200)
  })
}

test('after thousands of abandoned requests of every route nothing is held', async () => {
  const routes = service.app.routes.filter((route) => !/ \/(?:metrics|readyz|healthz)$/.test(route))
  const random = Math.random
  for (let done = 0; done < REQUESTS; ) {
    const { key } = await newPerson(admin, `Leaver ${done}`, { role: 'admin' })
    if (random() < 0.5) proxy.pause()
    const leaving = Array.from({ length: 150 }, async (_, n) => {
      const socket = await open(key, requestOf(routes[(done + n) % routes.length] ?? 'GET /me'))
      await delay(random() < 0.5 ? 0 : random() * 40)
      socket.destroy()
    })
    await Promise.all(leaving)
    proxy.resume()
    done += leaving.length
  }
  await assertNothingHeld('every route')
  assertStatus(await admin.get('/me'), 200)
})

/** A request of a route, some of it without the end of its body. */
function requestOf(route: string): Sent {
  const [method = 'GET', pattern = '/'] = route.split(' ')
  const path = pattern
    .replace(/:(space|slug)\b/g, 'docs')
    .replace(/\*|:path\b/g, 'page')
    .replace(/:[a-zA-Z]+(\([^)]*\))?/g, '018f0000-0000-7000-8000-000000000000')
  const head = `${method} ${path}`
  if (method === 'GET' || method === 'HEAD') {
    return { head, ...(Math.random() < 0.3 && { headers: { accept: 'text/event-stream' } }) }
  }
  const key = Math.random() < 0.3 && { 'idempotency-key': `k${Math.random()}` }
  const body = Math.random() < 0.2 ? LARGE : '{}'
  const chunked = Math.random() < 0.2 && CHUNKED
  return {
    head,
    headers: { ...JSON_TYPE, ...key, ...chunked },
    body,
    ...(Math.random() < 0.3 && { sent: Math.floor(body.length / 2) }),
  }
}
