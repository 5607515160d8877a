/**
 * How soon, how many, and at whose cost: `node bench/webhooks.ts [latency|rate|dead|write]...`
 * One node over a database of its own; the receiver and the writer are in this process.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { newToken } from '@recto/lib/encoding/token.ts'
import pg from 'pg'
import { assertStatus, Client } from '../test/support/client.ts'
import { dataFolder, until } from '../test/support/embedded.ts'
import { startReceiver } from '../test/support/receiver.ts'
import { record } from './results.ts'

const LATENCY_WRITES = 120
const RATE_DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 20_000)
const DEAD_PENDING = 100_000
const ALONE_WRITES = 200
const BLOCKS = 20
const BLOCK_WRITES = 25

const asked = process.argv.slice(2)
const wanted = (name: string) => asked.length === 0 || asked.includes(name)
const print = (line: string) => process.stdout.write(`${line}\n`)

await using stack = new AsyncDisposableStack()
const folder = stack.use(dataFolder())
const { connection } = stack.use(await folder.start())
const { user, password, host, port, database } = connection
const adminKey = newToken('svc_')
// As `npm start` does.
const recto = [join(import.meta.dirname, '../bin/recto.js'), 'serve']
const child = spawn(process.execPath, ['--max-semi-space-size=16', ...recto], {
  env: {
    PATH: process.env.PATH,
    SVC_DATA: folder.path,
    SVC_DATABASE_URL:
      `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}` +
      `?host=${encodeURIComponent(host)}`,
    SVC_DATABASE_PREPARED: '1',
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_RATE_LIMIT: '0',
    SVC_MAX_CONCURRENT_REQUESTS: '0',
    SVC_ADMIN_API_KEY: adminKey,
    SVC_SECRET_KEY: randomBytes(32).toString('base64'),
    SVC_WEBHOOKS_ALLOW_HTTP: '1',
    SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
stack.defer(async () => {
  child.kill('SIGTERM')
  await once(child, 'exit')
})
const [line] = await once(child.stdout, 'data')
const admin = new Client(/http:[^\s"]+/.exec(String(line))?.[0] ?? '', adminKey)
const pool = new pg.Pool({ ...connection, max: 1 })
stack.defer(() => pool.end())

async function subscribe(url: string, slug: string): Promise<string> {
  const answer = await admin.post('/admin/webhooks', { url, events: ['*'], spaceSlug: slug })
  return assertStatus(answer, 201).json.webhook.id
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

/** From the answer to a write to the arrival of its delivery, one at a time. */
async function latencies(slug: string, count: number): Promise<number[]> {
  const arrived = new Map<string, number>()
  await using receiver = await startReceiver((response, { json }) => {
    arrived.set(json.page.path, performance.now())
    response.writeHead(204).end()
  })
  await admin.space(slug)
  const id = await subscribe(receiver.url, slug)
  const found: number[] = []
  for (let n = 0; n < count; n++) {
    assertStatus(await admin.put(`/pages/${slug}/p${n}`, 'x'), 201)
    const answered = performance.now()
    await until(() => arrived.has(`p${n}`))
    if (n >= 20) found.push((arrived.get(`p${n}`) ?? 0) - answered)
    await delay(10)
  }
  assertStatus(await admin.delete(`/admin/webhooks/${id}`), 204)
  return found
}

/** What the node used of the processors, on Linux: other load does not change it. */
function nodeCpuMs(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** A receiver that only counts. */
async function startCounter(count: () => void): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    count()
    request.resume().once('end', () => response.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Bare POSTs to the same receivers, by a process of its own. */
async function measureFloor(urls: readonly string[]): Promise<void> {
  const began = performance.now()
  const script = join(import.meta.dirname, 'least-posts.ts')
  const posts = spawn(process.execPath, [script, `${RATE_DELIVERIES}`, ...urls], { stdio: 'inherit' })
  await once(posts, 'exit')
  const rate = RATE_DELIVERIES / ((performance.now() - began) / 1000)
  record(`floor of ${urls.length}`, rate)
  print(`bare POSTs to ${urls.length}: ${Math.round(rate)} a second, with the start of their process`)
}

async function seed(id: string, count: number): Promise<void> {
  await pool.query(
    `insert into webhook_delivery (webhook_id, id, event, body, due_at, created_at)
     select $1, uuidv7(), 'page.created', json_build_object('n', n, 'text', repeat('x', 400)), now(), now()
     from generate_series(1, $2::int) n`,
    [id, count],
  )
}

if (wanted('latency')) {
  const times = await latencies('idle', LATENCY_WRITES)
  print(
    `commit to receiver, idle: p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms`,
  )
}

if (wanted('rate')) {
  for (const webhooks of [50, 1]) {
    await using receivers = new AsyncDisposableStack()
    const slug = `rate-${webhooks}`
    await admin.space(slug)
    const ids: string[] = []
    let received = 0
    const urls: string[] = []
    for (let n = 0; n < webhooks; n++) {
      const { url } = receivers.use(await startCounter(() => received++))
      urls.push(url)
      ids.push(await subscribe(url, slug))
    }
    await measureFloor(urls)
    received = 0
    await Promise.all(ids.map((id) => admin.patch(`/admin/webhooks/${id}`, { enabled: false })))
    for (const id of ids) await seed(id, RATE_DELIVERIES / webhooks)
    await pool.query('analyze webhook_delivery')
    const before = nodeCpuMs()
    const started = performance.now()
    await Promise.all(ids.map((id) => admin.patch(`/admin/webhooks/${id}`, { enabled: true })))
    await until(() => received >= RATE_DELIVERIES, 120_000)
    const seconds = (performance.now() - started) / 1000
    const cpu = (nodeCpuMs() - before) / RATE_DELIVERIES
    record(`deliveries to ${webhooks}`, RATE_DELIVERIES / seconds, `${cpu.toFixed(2)} ms of Node each`)
    print(
      `${webhooks} webhook(s): ${RATE_DELIVERIES} deliveries in ${seconds.toFixed(1)} s, ` +
        `${Math.round(RATE_DELIVERIES / seconds)} a second; ${cpu.toFixed(2)} ms of processor time each in the node`,
    )
    for (const id of ids) await admin.delete(`/admin/webhooks/${id}`)
  }
}

if (wanted('dead')) {
  const before = await latencies('before', LATENCY_WRITES)
  await using dead = await startReceiver(() => {})
  await admin.space('dead')
  const id = await subscribe(dead.url, 'dead')
  await seed(id, DEAD_PENDING)
  await until(() => dead.received.length > 0)
  const during = await latencies('during', LATENCY_WRITES)
  const after = await (async () => {
    assertStatus(await admin.delete(`/admin/webhooks/${id}`), 204)
    return latencies('after', LATENCY_WRITES)
  })()
  const p50 = (times: readonly number[]) => quantile(times, 0.5)
  print(
    `another webhook, p50: ${p50(before).toFixed(1)} ms before, ${p50(during).toFixed(1)} ms with ${DEAD_PENDING} ` +
      `pending for a dead receiver, ${p50(after).toFixed(1)} ms after; ` +
      `ratio ${(p50(during) / ((p50(before) + p50(after)) / 2)).toFixed(2)}`,
  )
}

if (wanted('write')) {
  await using receiver = await startReceiver()
  await admin.space('plain')
  await admin.space('watched')
  await subscribe(receiver.url, 'watched')
  const body = '# A page\n\nSome text.\n'.repeat(20)
  // Alone: the delivery of one write is over before the next. Close: a block of writes, one after the other.
  const alone = { plain: [] as number[], watched: [] as number[] }
  const close = { plain: [] as number[], watched: [] as number[] }
  let sent = 0
  const write = async (slug: 'plain' | 'watched', path: string) => {
    const started = performance.now()
    assertStatus(await admin.put(`/pages/${slug}/${path}`, body), 201)
    if (slug === 'watched') sent += 1
    return performance.now() - started
  }
  const quiet = async () => {
    await until(() => receiver.received.length >= sent)
    await delay(30)
  }
  for (let n = 0; n < ALONE_WRITES; n++) {
    for (const slug of n % 2 === 0 ? (['plain', 'watched'] as const) : (['watched', 'plain'] as const)) {
      const ms = await write(slug, `alone-${n}`)
      if (n >= 20) alone[slug].push(ms)
      await quiet()
    }
  }
  for (let block = 0; block < BLOCKS * 2; block++) {
    const slug = block % 2 === 0 ? 'plain' : 'watched'
    for (let n = 0; n < BLOCK_WRITES; n++) close[slug].push(await write(slug, `b${block}-${n}`))
    await quiet()
  }
  for (const [name, times] of Object.entries({ alone, close })) {
    const [plain, watched] = [quantile(times.plain, 0.5), quantile(times.watched, 0.5)]
    record(`a write, ${name}`, watched / plain, `${plain.toFixed(1)} and ${watched.toFixed(1)} ms`)
    print(
      `a write, ${name}, p50: ${plain.toFixed(2)} ms without a subscriber, ${watched.toFixed(2)} ms with one, ` +
        `ratio ${(watched / plain).toFixed(2)}`,
    )
  }
}
