import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { freePort } from '../support/load-balancer.ts'
import { launchProcess, ROOT } from '../support/process.ts'
import { createTestDatabase, sharedServer } from '../support/test-database.ts'

const stack = new AsyncDisposableStack()
let embedded: Readonly<Record<string, string>> | undefined

before(() => {
  // Without a shared server the process brings its own.
  embedded = sharedServer() ? undefined : {}
})
after(() => stack.disposeAsync())

async function emptyInstallation() {
  const data = mkdtempSync(join(tmpdir(), 'recto-first-'))
  stack.defer(() => rmSync(data, { recursive: true, force: true }))
  const env = embedded ?? { SVC_DATABASE_URL: stack.use(await createTestDatabase()).url }
  return { data, env }
}

test('without a terminal the log is JSON alone, and names the files with the link and the key of the first start', async () => {
  const { data, env } = await emptyInstallation()
  // Somebody else may have opened it.
  writeFileSync(join(data, 'setup-link'), '', { mode: 0o666 })
  const { child, ready } = launchProcess({ data, env: { ...env, SVC_LOG_REQUESTS: 'all', SVC_LOG_LEVEL: 'info' } })
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk))
  const recto = stack.use(await ready)
  await until(() => text.includes('first start'))
  const link = readFileSync(join(data, 'setup-link'), 'utf8').trim()
  for (const name of ['setup-link', 'admin-api-key']) assert.equal(statSync(join(data, name)).mode & 0o777, 0o600)
  assert.ok(link.startsWith(`${recto.url}/link/lnk_`))
  const nobody = new Client(recto.url, undefined)
  assert.match(assertStatus(await nobody.get(new URL(link).pathname), 200).text, /Set up your account/)
  assertStatus(await nobody.get('/healthz', { 'x-request-id': 'one-name' }), 200)
  await until(() => text.includes('one-name'))
  await recto[Symbol.asyncDispose]()

  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [first] = lines.filter(({ msg }) => msg.startsWith('first start'))
  assert.deepEqual([first.linkFile, first.keyFile], [join(data, 'setup-link'), join(data, 'admin-api-key')])
  assert.doesNotMatch(text, /lnk_[0-9A-Za-z]|svc_[0-9A-Za-z]/)
  assert.doesNotMatch(text, /"reqId"/)
})

test('on a terminal the first start shows the link and the key there, and writes no file with the link', async () => {
  const { data, env } = await emptyInstallation()
  const port = await freePort()
  const variables = { ...env, PATH: process.env.PATH, SVC_DATA: data, SVC_PORT: String(port), MALLOC_ARENA_MAX: '2' }
  const command = `exec ${process.execPath} ${join(ROOT, 'bin/recto.js')} serve`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: ROOT,
    env: variables,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  stack.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await until(() => text.includes('First admin key'), 60_000)
  assert.match(text, new RegExp(`Recto serves on http://localhost:${port}`))
  assert.match(text, /Set up your account, .*: http:\/\/localhost:\d+\/link\/lnk_/)
  assert.equal(text.includes(readFileSync(join(data, 'admin-api-key'), 'utf8').trim()), true)
  assert.equal(existsSync(join(data, 'setup-link')), false)
})

test('the link of the first start ends with the first use of the key, whoever has it', async () => {
  const { data, env } = await emptyInstallation()
  const recto = stack.use(await launchProcess({ data, env }).ready)
  const nobody = new Client(recto.url, undefined)
  const path = () => new URL(readFileSync(join(data, 'setup-link'), 'utf8').trim()).pathname
  await until(() => existsSync(join(data, 'setup-link')))
  assertStatus(await nobody.get(path()), 200)
  assertStatus(await new Client(recto.url, recto.key).get('/me'), 200)
  await until(async () => (await nobody.get(path())).status === 404)
  assertProblem(await nobody.get(path()), 404, 'link_invalid')
})
