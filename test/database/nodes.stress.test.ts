import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import type { App } from '../../packages/server/src/app/app.ts'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { type EmbeddedServer, startEmbedded } from '../../packages/server/src/platform/database/embedded/server.ts'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { createApp } from '../support/program.ts'

// Several nodes on one database that none of them embeds.
const data = mkdtempSync(join(tmpdir(), 'recto-nodes-'))
let server: EmbeddedServer
let url: string
let nodes: App[] = []
let clients: Client[] = []

before(async () => {
  server = await startEmbedded({ dataDir: data, maxConnections: 40, log: pino({ level: 'silent' }) })
  const { host, port, user, password, database } = server.connection
  url = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
})
after(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]()
  await server.stop()
  rmSync(data, { recursive: true, force: true })
})

async function startNode(name: string): Promise<App> {
  const env = {
    SVC_DATABASE_URL: url,
    SVC_DATA: join(data, name),
    SVC_PORT: '0',
    SVC_DATABASE_POOL: '6',
    SVC_LOG_LEVEL: 'silent',
  }
  return createApp(loadConfig(env), pino({ level: 'silent' }))
}

test('several nodes start and migrate concurrently; one of them creates the first admin', async () => {
  nodes = await Promise.all(['a', 'b', 'c'].map(startNode))
  const keys = nodes.map((node) => node.adminKey).filter((key) => key !== undefined)
  assert.equal(keys.length, 1)
  clients = nodes.map((node) => new Client(node.address, keys[0]))
  for (const client of clients) assertStatus(await client.get('/readyz'), 200)
})

test('a write on one node is visible on the others immediately', async () => {
  const [a, b, c] = clients as [Client, Client, Client]
  await a.space('docs')
  assertStatus(await b.put('/pages/docs/x', 'one'), 201)
  assert.equal((await c.get('/pages/docs/x.md')).text, 'one')
  assertStatus(await a.put('/pages/docs/x', 'two', { 'if-match': '"1"' }), 200)
  assert.equal((await c.get('/pages/docs/x.md')).text, 'two')
  assertProblem(await b.put('/pages/docs/x', 'three', { 'if-match': '"1"' }), 412, 'precondition_failed')
})

test('of concurrent writes with one ETag on several nodes exactly one succeeds, and of concurrent creations one', async () => {
  for (let version = 2; version < 12; version++) {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        clients[n % 3]?.put('/pages/docs/x', `v${version} by ${n}`, { 'if-match': `"${version}"` }),
      ),
    )
    assert.deepEqual(
      answers.map((answer) => answer?.status).filter((status) => status !== 412),
      [200],
    )
  }
  const created = await Promise.all(
    Array.from({ length: 30 }, (_, n) => clients[n % 3]?.put('/pages/docs/new', `by ${n}`)),
  )
  assert.deepEqual(
    created.map((answer) => answer?.status).filter((status) => status !== 428),
    [201],
  )
})

test('reads and writes wait for an unavailable database, and succeed when it is available again', async () => {
  const [a] = clients as [Client]
  await server.stop()
  assert.equal((await a.get('/readyz')).status, 503)
  const waiting = Promise.all([a.get('/pages/docs/new.md'), a.put('/pages/docs/later', 'x')])
  server = await startEmbedded({ dataDir: data, maxConnections: 40, log: pino({ level: 'silent' }) })
  const [read, written] = await waiting
  assertStatus(read, 200)
  assertStatus(written, 201)
})
