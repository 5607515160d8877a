import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { Client } from '../support/client.ts'
import { type DataFolder, dataFolder, until } from '../support/embedded.ts'
import { startOldPooler } from '../support/old-pooler.ts'
import { type PausingProxy, startPausingProxy } from '../support/pausing-proxy.ts'
import { launchProcess } from '../support/process.ts'

// What an operator reads when `recto serve` cannot start.
const stack = new AsyncDisposableStack()
const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
let folder: DataFolder
let proxy: PausingProxy
let user: string
let password: string
let url: string

before(async () => {
  folder = stack.use(dataFolder())
  const { connection } = stack.use(await folder.start())
  ;({ user, password } = connection)
  proxy = stack.use(await startPausingProxy(join(connection.host, `.s.PGSQL.${connection.port}`)))
  url = `postgres://${user}:${password}@127.0.0.1:${proxy.port}/recto`
})
after(async () => {
  await stack.disposeAsync()
  rmSync(data, { recursive: true, force: true })
})

/** Starts it where it cannot serve; its exit code, and what it said of that. */
async function rejected(env: Readonly<Record<string, string>>, folder = data) {
  const { child, ended, ready } = launchProcess({ data: folder, env })
  ready.catch(() => {})
  const said = child.stderr ? text(child.stderr) : Promise.resolve('')
  return { code: await ended, said: await said }
}

async function assertStartFails(env: Readonly<Record<string, string>>, sentence: RegExp, folder?: string) {
  const { code, said } = await rejected(env, folder)
  assert.match(said, sentence)
  assert.match(said, /^recto: [^\n]+\n$/, 'it is one line, without a stack')
  assert.equal(code, 69)
}

test('a wrong password is reported in one sentence, with exit code 69', async () => {
  const wrong = url.replace(password, 'wrong')
  await assertStartFails({ SVC_DATABASE_URL: wrong }, /rejects the user or the password of SVC_DATABASE_URL/)
})

test('a database that does not exist is reported in one sentence', async () => {
  const missing = url.replace(/recto$/, 'missing')
  await assertStartFails({ SVC_DATABASE_URL: missing }, /does not exist\. Create it with createdb/)
})

test('a pooler that does not know prepared statements is reported in one sentence, with what to set', async () => {
  await using pooler = await startOldPooler(proxy.port)
  const pooled = url.replace(`:${proxy.port}/`, `:${pooler.port}/`)
  await assertStartFails({ SVC_DATABASE_URL: pooled, SVC_DATABASE_PREPARED: '1' }, /set SVC_DATABASE_PREPARED=0/)
})

test('a server without TLS is reported in one sentence if the URL requires TLS', async () => {
  await assertStartFails({ SVC_DATABASE_URL: `${url}?sslmode=verify-full` }, /No TLS connection to the database/)
})

test('a server without TLS is reported in one sentence also with sslmode=require, without a warning of the driver', async () => {
  await assertStartFails({ SVC_DATABASE_URL: `${url}?sslmode=require` }, /No TLS connection to the database/)
})

test('a port in use is reported in one sentence, before anything is created', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as import('node:net').AddressInfo
  try {
    await assertStartFails(
      { SVC_DATABASE_URL: url, SVC_PORT: String(port) },
      new RegExp(`cannot listen on 127.0.0.1, port ${port}: another program listens there already`),
    )
    const fresh = join(data, 'fresh')
    for (const name of ['SVC_PORT', 'SVC_METRICS_PORT']) {
      await assertStartFails({ [name]: String(port) }, /another program listens there already/, fresh)
    }
    assert.equal(existsSync(fresh), false)
  } finally {
    taken.close()
  }
})

test('a data folder that cannot be written is reported in one sentence', async () => {
  const file = join(data, 'file')
  writeFileSync(file, '')
  await assertStartFails({ SVC_DATABASE_URL: url }, /cannot write its data folder/, join(file, 'data'))
  await assertStartFails({}, /cannot write its data folder/, join(file, 'data'))
})

test('a data folder that is a file, or cannot be created, is reported in one sentence', async () => {
  await assertStartFails({}, /cannot write its data folder .*EEXIST/, join(data, 'file'))
  await assertStartFails({}, /cannot write its data folder .*ENOENT/, '/proc/recto')
  await assertStartFails({ SVC_DATABASE_URL: url }, /cannot write its data folder .*ENOENT/, '/proc/recto/data')
})

test('the start waits for an unavailable database, and logs that every five seconds', async () => {
  proxy.pause()
  const { child, ready } = launchProcess({ data, env: { SVC_DATABASE_URL: url, SVC_LOG_LEVEL: 'warn' } })
  let log = ''
  child.stdout?.on('data', (chunk) => {
    log += chunk
  })
  try {
    await until(() => (log.match(/waiting for the database/g) ?? []).length === 2, 40_000)
  } finally {
    proxy.resume()
  }
  await using recto = await ready
  assert.equal((await new Client(recto.url, recto.key).get('/readyz')).status, 200)
  const seconds = log
    .split('\n')
    .filter((line) => line.includes('waiting for the database'))
    .map((line) => JSON.parse(line).seconds)
  assert.equal(seconds.length, 2)
  assert.ok(seconds[0] >= 5 && seconds[1] - seconds[0] >= 4, `told after ${seconds} seconds`)
})
