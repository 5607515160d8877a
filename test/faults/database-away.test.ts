import assert from 'node:assert/strict'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type DataFolder, dataFolder, until } from '../support/embedded.ts'
import { times } from '../support/load.ts'
import { type PausingProxy, startPausingProxy } from '../support/pausing-proxy.ts'
import { type Service, startService } from '../support/service.ts'

// A database that hangs, refuses or is held up, as those see it who call the service.
const LIMIT_MS = 10_000
const READY_LIMIT_MS = 2_000
const POOL = 4
const stack = new AsyncDisposableStack()
let folder: DataFolder
let proxy: PausingProxy
let service: Service
let admin: Client
/** A session beside the service, straight to the server. */
let beside: pg.Client
let password: string

before(async () => {
  folder = stack.use(dataFolder())
  const postgres = stack.use(await folder.start())
  const { host, port, user, database } = postgres.connection
  password = postgres.connection.password
  proxy = stack.use(await startPausingProxy(join(host, `.s.PGSQL.${port}`)))
  service = stack.use(
    await startService({
      SVC_DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${proxy.port}/${database}`,
      SVC_DATABASE_POOL: String(POOL),
    }),
  )
  admin = service.admin
  beside = new pg.Client({ ...postgres.connection, application_name: 'beside' })
  await beside.connect()
  stack.defer(() => beside.end())
  await admin.space('away')
  assertStatus(await admin.put('/pages/away/page', 'findable words'), 201)
})
after(() => stack.disposeAsync())

async function cutAll(): Promise<void> {
  await beside.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
}

async function timed(work: Promise<Answer>): Promise<Answer & { readonly ms: number }> {
  const began = performance.now()
  return { ...(await work), ms: performance.now() - began }
}

/** A read, a write and what needs no page, all at once. */
function askAll(tag: string): Promise<Answer & { readonly ms: number }>[] {
  return [
    timed(admin.get('/pages/away/page.md')),
    timed(admin.put(`/pages/away/${tag}`, 'new')),
    timed(admin.get('/spaces')),
    timed(admin.get('/search?q=findable')),
  ]
}

async function mended(mend: () => Promise<unknown>, tag: string): Promise<void> {
  await cutAll()
  const waiting = askAll(tag)
  await delay(1_500)
  await mend()
  for (const answer of await Promise.all(waiting)) assert.ok([200, 201].includes(answer.status), answer.text)
}

test('requests wait while the password is wrong, and succeed when it is right again', async () => {
  await beside.query(`alter role current_user password 'rotated'`)
  await mended(() => beside.query(`alter role current_user password '${password}'`), 'rotated')
})

test('while the server has no free connection requests wait for one', async () => {
  await beside.query('alter database recto connection limit 0')
  await mended(() => beside.query('alter database recto connection limit -1'), 'limited')
})

test('idle sessions that the server ends fail no request', async () => {
  await beside.query(`alter role current_user set idle_session_timeout = '200ms'`)
  await cutAll()
  for (const index of times(3, Number)) {
    for (const answer of await Promise.all(askAll(`idle-${index}`)))
      assert.ok([200, 201].includes(answer.status), answer.text)
    await delay(400)
  }
  await beside.query('alter role current_user reset idle_session_timeout')
})

test('while the server is read-only writes wait, reads succeed, and /readyz is 503', async () => {
  await beside.query(`alter database recto set default_transaction_read_only = on`)
  await cutAll()
  const written = timed(admin.put('/pages/away/read-only', 'new'))
  assertStatus(await admin.get('/pages/away/page.md'), 200)
  await until(async () => (await admin.get('/readyz')).status === 503)
  assert.match((await admin.get('/readyz')).json.detail, /read-only/)
  await beside.query('set default_transaction_read_only = off')
  await beside.query('alter database recto reset default_transaction_read_only')
  assertStatus(await written, 201)
  await until(async () => (await admin.get('/readyz')).status === 200)
})

test('requests through a proxy that stalls for four seconds take four seconds', async () => {
  await cutAll()
  proxy.pause()
  const waiting = askAll('silent')
  await delay(4_000)
  proxy.resume()
  for (const answer of await Promise.all(waiting)) {
    assert.ok([200, 201].includes(answer.status), answer.text)
  }
})

test('a server that hangs: requests get 503 in time, /readyz fails within two seconds, and both recover', async (t) => {
  // The server's own end of each connection, so that no word comes back, and connections are accepted still.
  for (const pid of folder.processes()) process.kill(pid, 'SIGSTOP')
  try {
    const readiness = timed(admin.get('/readyz'))
    const answers = [...askAll('frozen'), ...times(3, () => timed(admin.put('/pages/away/queued', 'x')))]
    assert.ok(assertProblem(await readiness, 503, 'database_unavailable'))
    t.diagnostic(`/readyz took ${(await readiness).ms} ms`)
    assert.ok((await readiness).ms < READY_LIMIT_MS, `/readyz took ${(await readiness).ms} ms`)
    for (const answer of await Promise.all(answers)) {
      assertProblem(answer, 503, 'database_unavailable')
      assert.equal(answer.headers.get('retry-after'), '2')
      assert.ok(answer.ms < LIMIT_MS, `an answer took ${answer.ms} ms`)
    }
  } finally {
    for (const pid of folder.processes()) process.kill(pid, 'SIGCONT')
  }
  await until(async () => (await admin.get('/readyz')).status === 200)
  assertStatus(await admin.get('/pages/away/page.md'), 200)
})

test('a server that disappears without closing connections: requests get 503 in time, and /readyz fails within two seconds', async (t) => {
  proxy.pause()
  try {
    const readiness = await timed(admin.get('/readyz'))
    assertStatus(readiness, 503)
    t.diagnostic(`/readyz took ${readiness.ms} ms`)
    assert.ok(readiness.ms < READY_LIMIT_MS, `/readyz took ${readiness.ms} ms`)
    for (const answer of await Promise.all(askAll('vanished'))) {
      assertProblem(answer, 503, 'database_unavailable')
      assert.ok(answer.ms < LIMIT_MS, `an answer took ${answer.ms} ms`)
    }
  } finally {
    proxy.resume()
  }
  await until(async () => (await admin.get('/readyz')).status === 200)
})

test('a locked table: requests that need it get 503 in time, and others do not wait', async () => {
  await beside.query('begin')
  await beside.query('lock table page')
  try {
    // The key is no longer known, so that requests first wait for one look at it, behind those that need the table.
    await delay(1_000)
    const held = [
      ...times(2 * POOL, () => timed(admin.get('/pages/away/page.md'))),
      // Of their statements only some need the table: the others wait for a connection, and are answered late.
      ...times(3 * POOL, () => timed(admin.get('/search?q=findable'))),
      ...times(4, (index) => timed(admin.put('/pages/away/locked', `text ${index}`))),
    ]
    assertStatus(await admin.get('/spaces'), 200)
    assertStatus(await admin.get('/readyz'), 200)
    for (const answer of await Promise.all(held)) {
      assertProblem(answer, 503, 'database_unavailable')
      assert.ok(answer.ms < LIMIT_MS, `an answer took ${answer.ms} ms`)
    }
  } finally {
    await beside.query('rollback')
  }
  assertStatus(await admin.get('/pages/away/page.md'), 200)
})

/** Sends a request whose client leaves when `leave` is called. */
function leaving(method: string, path: string, headers: Record<string, string>, body = '') {
  const outgoing = request(admin.base + path, { method, headers: { authorization: `Bearer ${admin.key}`, ...headers } })
  outgoing.on('error', () => {})
  outgoing.end(body)
  return () => outgoing.destroy()
}

async function waitingForLocks(): Promise<number> {
  // Within a transaction the first look is kept.
  await beside.query('select pg_stat_clear_snapshot()')
  const { rows } = await beside.query(
    `select count(*)::int as count from pg_stat_activity where application_name = 'recto' and wait_event_type = 'Lock'`,
  )
  return rows[0].count
}

test('the statement of a client that disconnects is cancelled; a full pool is free again, and /readyz is not affected', async () => {
  await beside.query('begin')
  await beside.query('lock table page_search')
  try {
    const leave = times(POOL + 4, () => leaving('GET', '/search?q=findable', {}))
    await until(async () => (await waitingForLocks()) === POOL)
    const readiness = await timed(admin.get('/readyz'))
    assertStatus(readiness, 200)
    for (const go of leave) go()
    // Long before lock_timeout would end them.
    await until(async () => (await waitingForLocks()) === 0, 4_000)
  } finally {
    await beside.query('rollback')
  }
  assertStatus(await admin.get('/search?q=findable'), 200)
})

test('the lookup of a key that other requests wait for is not cancelled with the client that started it', async () => {
  await beside.query('begin')
  await beside.query('lock table api_key')
  try {
    await delay(1_000) // until the key has to be looked up again
    const leave = leaving('GET', '/pages/away/page.md', {})
    await until(async () => (await waitingForLocks()) === 1)
    const other = admin.get('/pages/away/page.md')
    // Once the lookup has moved to the pool, where a statement can be cancelled.
    await until(async () => (await waitingForLocks()) === 2)
    leave()
    await delay(500)
    await beside.query('rollback')
    assertStatus(await other, 200)
  } finally {
    await beside.query('rollback')
  }
})

async function sessions(): Promise<readonly number[]> {
  await beside.query('select pg_stat_clear_snapshot()')
  const { rows } = await beside.query(`select pid from pg_stat_activity where application_name = 'recto'`)
  return rows.map(({ pid }) => pid)
}

test('a reader of the feed that disconnects does not cancel the shared read', async () => {
  const open = async () => {
    const leaving = new AbortController()
    const response = await fetch(`${admin.base}/changes?since=now`, {
      headers: { authorization: `Bearer ${admin.key}`, accept: 'text/event-stream' },
      signal: leaving.signal,
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    return { leaving, reader }
  }
  const first = await open()
  const second = await open()
  const told = async (path: string) => {
    assertStatus(await admin.put(`/pages/away/${path}`, 'new'), 201)
    for (let text = ''; !text.includes(path); ) text += (await second.reader?.read())?.value ?? ''
  }
  await told('before')
  const metric = async () => /^recto_http_requests_open (\d+)/m.exec((await admin.get('/metrics')).text)?.[1]
  const requestsOpen = Number(await metric())
  first.leaving.abort()
  await until(async () => Number(await metric()) < requestsOpen)
  const before = await sessions()
  for (const index of times(3, Number)) await told(`after-${index}`)
  await delay(1_000) // for a look at the rights of the readers
  const after = await sessions()
  // A cancelled statement costs its connection.
  assert.deepEqual(
    before.filter((pid) => !after.includes(pid)),
    [],
  )
  second.leaving.abort()
})

test('a write is not cancelled when its client disconnects', async () => {
  assertStatus(await admin.put('/pages/away/left', 'one'), 201)
  await beside.query('begin')
  await beside.query(`select 1 from page where path = 'left' for update`)
  try {
    const headers = { 'content-type': 'text/markdown', 'if-match': '"1"' }
    const leave = leaving('PUT', '/pages/away/left', headers, 'two')
    await until(async () => (await waitingForLocks()) === 1)
    leave()
    await delay(500)
    assert.equal(await waitingForLocks(), 1)
  } finally {
    await beside.query('rollback')
  }
  await until(async () => (await admin.get('/pages/away/left.md')).text === 'two')
})
