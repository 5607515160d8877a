import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { freePort } from '../support/load-balancer.ts'
import { ROOT, startProcess } from '../support/process.ts'
import { smallDisk } from '../support/small-disk.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** A service that writes each request's log line to this file, since a level that is low enough has them all. */
async function serveInto(output: number) {
  const data = mkdtempSync(join(tmpdir(), 'recto-log-'))
  const port = await freePort()
  const child = spawn(process.execPath, [join(ROOT, 'bin/recto.js'), 'serve'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, SVC_DATA: data, SVC_PORT: String(port), SVC_LOG_LEVEL: 'info' },
    stdio: ['ignore', output, 'inherit'],
  })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    assert.equal(child.exitCode, null, 'it ended')
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true
  }, 60_000)
  return {
    admin: new Client(url, readFileSync(join(data, 'admin-api-key'), 'utf8').trim()),
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return code as number | null
    },
    [Symbol.dispose]: () => {
      child.kill('SIGKILL')
      rmSync(data, { recursive: true, force: true })
    },
  }
}

test('a service whose standard output cannot be written serves requests and stops normally', {
  skip: existsSync('/dev/full') ? false : 'there is no /dev/full',
}, async () => {
  const output = openSync('/dev/full', 'w')
  using service = await serveInto(output)
  closeSync(output)
  await service.admin.space('quiet')
  assertStatus(await service.admin.put('/pages/quiet/page', 'text'), 201)
  assert.equal(await service.stop(), 0)
})

test('a lost database connection is logged without the state of the connection', async () => {
  await using database = await createTestDatabase()
  const data = mkdtempSync(join(tmpdir(), 'recto-log-'))
  await using service = await startProcess({ data, env: { SVC_DATABASE_URL: database.url, SVC_LOG_LEVEL: 'warn' } })
  let log = ''
  service.child.stdout?.on('data', (chunk) => {
    log += chunk
  })
  await new Client(service.url, service.key).space('docs')
  const postgres = new pg.Client(database.url)
  await postgres.connect()
  await postgres.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await postgres.end()
  await until(() => log.includes('a database connection was lost'))
  // The reason that the server gives, or that of a write after it.
  assert.match(log, /"code":"(57P01|EPIPE|ECONNRESET)"/)
  assert.doesNotMatch(log, /secretKey|"client"/)
  rmSync(data, { recursive: true, force: true })
})

const disk = smallDisk(1)
test('logging continues once the disk has free space again', {
  skip: typeof disk === 'string' ? disk : false,
}, async () => {
  assert.ok(typeof disk !== 'string')
  using _ = disk
  const path = join(disk.path, 'log')
  const output = openSync(path, 'a')
  disk.fill(0)
  using service = await serveInto(output)
  closeSync(output)
  assert.equal(readFileSync(path, 'utf8'), '')
  disk.free()
  assert.equal(await service.stop(), 0)
  assert.match(readFileSync(path, 'utf8'), /"msg":"stopping"/)
})
