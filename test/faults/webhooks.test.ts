import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { newToken } from '@recto/lib/encoding/token.ts'
import pg from 'pg'
import { Client } from '../support/client.ts'
import { type DataFolder, dataFolder, until } from '../support/embedded.ts'
import { startReceiver } from '../support/receiver.ts'

/** `RECTO_FAULT_EVENTS=20000 node --test test/faults/webhooks.test.ts` is the whole proof; this is its daily share. */
const EVENTS = Number(process.env.RECTO_FAULT_EVENTS ?? 1_000)
const WRITERS = 8
const KILL_EVERY_MS = 3_000
const NODE_CHILD = join(import.meta.dirname, '../support/node-child.ts')
const ADMIN_KEY = newToken('svc_')

interface Node {
  readonly client: Client | undefined
  kill(): Promise<void>
}

/** A node that starts again by itself when it could not start, as whatever runs it would see to. */
function startNode(env: Readonly<Record<string, string>>): Node {
  let client: Client | undefined
  let killed = false
  let child: ChildProcess
  const start = () => {
    child = spawn(process.execPath, [NODE_CHILD], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.stdout?.once('data', (line: Buffer) => {
      client = new Client(line.toString().trim(), ADMIN_KEY)
    })
    child.once('exit', () => {
      client = undefined
      if (!killed) setTimeout(start, 200)
    })
  }
  start()
  return {
    get client() {
      return client
    },
    async kill() {
      killed = true
      client = undefined
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('nodes and the database are killed under load: exactly the committed events are received', async (t) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(dataFolder())
  const { connection } = stack.use(await folder.start())
  const { user, password, host, port, database } = connection
  const env = {
    SVC_DATA: folder.path,
    SVC_DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    SVC_DATABASE_POOL: '6',
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    SVC_RATE_LIMIT: '0',
    SVC_MAX_CONCURRENT_REQUESTS: '0',
    SVC_ADMIN_API_KEY: ADMIN_KEY,
    SVC_SECRET_KEY: randomBytes(32).toString('base64'),
    SVC_WEBHOOKS_ALLOW_HTTP: '1',
    SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
  }
  const receiver = stack.use(
    // Some attempts fail, so that there are retries under way as well.
    await startReceiver((response) => response.writeHead(Math.random() < 0.03 ? 500 : 204).end()),
  )
  const nodes = [startNode(env), startNode(env)]
  stack.defer(async () => {
    await Promise.all(nodes.map((node) => node.kill()))
  })
  const anyClient = async () => {
    await until(() => nodes.some(({ client }) => client), 60_000)
    return nodes.find(({ client }) => client)?.client as Client // one is there
  }
  const admin = await anyClient()
  await admin.space('load')
  const webhook = (await admin.post('/admin/webhooks', { url: receiver.url, events: ['*'], spaceSlug: 'load' })).json
    .webhook

  let running = true
  let kills = 0
  const killer = (async () => {
    for (let n = 0; running; n++) {
      await delay(KILL_EVERY_MS)
      // One of them serves, so that there is something to interrupt.
      await until(() => !running || nodes[(n + 1) % 2]?.client !== undefined, 60_000)
      if (!running) return
      await nodes[n % 2]?.kill()
      nodes[n % 2] = startNode(env)
      kills += 1
      // Once in a while the database goes down hard with all that it had not written.
      if (n % 6 === 1) process.kill(folder.postmaster(), 'SIGKILL')
    }
  })()

  const acknowledged = new Set<string>()
  let next = 0
  const writer = async () => {
    while (next < EVENTS) {
      const path = `p${next++}`
      for (let tries = 0; !acknowledged.has(path) && tries < 200; tries++) {
        const client = nodes[Math.floor(Math.random() * 2)]?.client ?? (await anyClient())
        try {
          const { status } = await client.put(`/pages/load/${path}`, path)
          // 428: an earlier try, whose answer was lost, did it.
          if (status === 201 || status === 428) acknowledged.add(path)
          else await delay(50)
        } catch {
          await delay(20)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  running = false
  await killer
  assert.equal(acknowledged.size, EVENTS)

  const pool = new pg.Pool({ ...connection, max: 1 })
  pool.on('error', () => {})
  stack.defer(() => pool.end())
  await drained(pool, folder)
  const events = await pool.query<{ id: string; path: string }>(
    `select e.id, e.data ->> 'path' as path from event e join space s on s.id = e.space_id where s.slug = 'load' and e.kind like 'page.%'`,
  )
  const deliveries = await pool.query<{
    id: string
    status: string
    attempts: { responseStatus: number }[]
    body: string
  }>('select id, status, attempts, body from webhook_delivery where webhook_id = $1', [webhook.id])

  const committed = new Set(events.rows.map(({ id }) => id))
  const seen = new Set(receiver.received.map(({ json }) => json.id))
  assert.equal(new Set(events.rows.map(({ path }) => path)).size, EVENTS, 'each page has its event')
  assert.deepEqual(difference(committed, seen), [], 'every event was received')
  assert.deepEqual(difference(seen, committed), [], 'what was received had happened')

  // The log agrees: one delivery an event, all succeeded, the bytes of the log are those that came.
  const logged = new Map(deliveries.rows.map((row) => [row.id, row]))
  assert.equal(logged.size, committed.size)
  for (const row of logged.values()) {
    assert.equal(row.status, 'succeeded')
    assert.equal(row.attempts.at(-1)?.responseStatus, 204)
  }
  for (const { json, body } of receiver.received) assert.equal(logged.get(json.deliveryId)?.body, body)

  // What came without standing in the log are attempts that a crash cut off: at most those in flight.
  const attempts = deliveries.rows.reduce((sum, row) => sum + row.attempts.length, 0)
  const repeated = receiver.received.length - attempts
  t.diagnostic(`${EVENTS} events, ${kills} kills, ${receiver.received.length} requests, ${repeated} cut off by crashes`)
  assert.ok(repeated >= 0 && repeated <= (kills + 1) * 2 * 5, `${repeated} repeated after ${kills} kills`)
})

async function drained(pool: pg.Pool, folder: DataFolder): Promise<void> {
  await until(async () => {
    try {
      const { rows } = await pool.query(`select count(*)::int as n from webhook_delivery where status = 'pending'`)
      return rows[0].n === 0
    } catch (error) {
      // The database is on its way back.
      assert.ok(folder.processes(), String(error))
      return false
    }
  }, 120_000)
}

function difference(of: ReadonlySet<string>, without: ReadonlySet<string>): string[] {
  return [...of].filter((one) => !without.has(one))
}
