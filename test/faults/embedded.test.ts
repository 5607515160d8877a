import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { EmbeddedServer } from '../../packages/server/src/platform/database/embedded/server.ts'
import { StartError } from '../../packages/server/src/platform/database/embedded/start-error.ts'
import { ask, dataFolder, until } from '../support/embedded.ts'

describe('the embedded server', { concurrency: 2, timeout: 90_000 }, () => {
  test('is created at the first start and reused by the next', async () => {
    await using folder = dataFolder()
    {
      await using server = await folder.start()
      assert.deepEqual(server.state(), { up: true })
      await ask(server.connection, 'create table kept as select 42 as answer')
    }
    assert.deepEqual(folder.processes(), [])
    await using server = await folder.start()
    assert.deepEqual(await ask(server.connection, 'select answer from kept'), [42])
  })

  test('has checksums, a builtin locale, durable settings and an ordinary role', async () => {
    await using folder = dataFolder()
    await using server = await folder.start()
    const show = async (name: string) => (await ask(server.connection, `select current_setting('${name}')`))[0]
    assert.equal(await show('data_checksums'), 'on')
    assert.equal(await show('server_encoding'), 'UTF8')
    assert.equal(await show('fsync'), 'on')
    assert.equal(await show('synchronous_commit'), 'on')
    assert.equal(await show('max_connections'), '27')
    assert.equal(await show('is_superuser'), 'off')
    const locale = await ask(
      server.connection,
      "select concat(datlocprovider, ' ', datlocale) from pg_database where datname = current_database()",
    )
    assert.deepEqual(locale, ['b C.UTF-8'])
    await ask(server.connection, 'create extension pg_trgm')
  })

  test('listens on no TCP port, and its files are readable by their owner only', async () => {
    await using folder = dataFolder()
    await using server = await folder.start()
    assert.ok(folder.processes().length > 1)
    assert.deepEqual(tcpSocketsOf(folder.processes()), [])
    const mode = (path: string) => statSync(path).mode & 0o777
    assert.equal(mode(server.connection.host), 0o700)
    assert.equal(mode(folder.cluster), 0o700)
    assert.equal(mode(join(folder.path, 'postgres-password')), 0o600)
    await assert.rejects(ask({ ...server.connection, password: 'wrong' }, 'select 1'), { code: '28P01' })
  })

  test('rejects a second process on its folder and names the first', async () => {
    await using folder = dataFolder()
    const first = folder.startChild()
    const connection = await first.connection
    const refusal = { name: 'StartError', message: new RegExp(`in use by .* process ${first.process.pid}\\.`) }
    await assert.rejects(folder.start(), refusal)
    rmSync(join(folder.path, 'serve.lock'))
    await assert.rejects(folder.start(), refusal, 'without the lock file, too')
    assert.deepEqual(await ask(connection, 'select 1'), [1])
  })

  test('of five simultaneous starts on one folder, exactly one succeeds', async () => {
    await using folder = dataFolder()
    const starts = await Promise.allSettled(Array.from({ length: 5 }, () => folder.start()))
    const servers = starts.filter((start) => start.status === 'fulfilled')
    const refusals = starts.filter((start) => start.status === 'rejected')
    assert.equal(servers.length, 1)
    for (const { reason } of refusals) assert.match(String(reason), /in use by .* process \d+\./)
    for (const { value } of servers) await value.stop()
  })

  test('stops once when stop is called several times, and releases the folder', async () => {
    await using folder = dataFolder()
    const server = await folder.start()
    await Promise.all([server.stop(), server.stop(), server[Symbol.asyncDispose]()])
    assert.equal(server.state().up, false)
    assert.deepEqual(folder.processes(), [])
    await using again = await folder.start()
    assert.deepEqual(again.state(), { up: true })
  })

  test('creates its socket elsewhere if the path is too long, and removes it at the end', async () => {
    await using parent = dataFolder()
    const path = join(parent.path, 'deep'.repeat(15), 'odd, "name" with ünïcode'.repeat(2))
    await using folder = dataFolder(path)
    let host: string
    {
      const child = folder.startChild()
      host = (await child.connection).host
      assert.ok(!host.startsWith(path))
      assert.equal(readlinkSync(join(path, 'socket')), host)
      await child.kill()
      await until(() => folder.processes().length === 0)
    }
    const server = await folder.start()
    assert.throws(() => statSync(host), { code: 'ENOENT' }, 'that of the killed one is gone')
    assert.deepEqual(await ask(server.connection, 'select 1'), [1])
    await server.stop()
    assert.throws(() => statSync(server.connection.host), { code: 'ENOENT' })
  })

  test('rejects a cluster of another major version, and names both and the remedy', async () => {
    await using folder = dataFolder()
    await stopped(await folder.start())
    writeFileSync(join(folder.cluster, 'PG_VERSION'), '19\n')
    const message = /PostgreSQL 19, .* 18\. Use a newer release .* SVC_POSTGRES_BIN/
    await assert.rejects(folder.start(), { name: 'StartError', message })
    // The program moves the data of an older one: upgrade-postgres.test.ts.
    writeFileSync(join(folder.cluster, 'PG_VERSION'), '17\n')
    await assert.rejects(folder.start(), { from: 17, to: 18 })
    writeFileSync(join(folder.cluster, 'PG_VERSION'), '18\n')
    await stopped(await folder.start())
  })

  test('rejects a folder with other contents, and removes nothing', async () => {
    await using folder = dataFolder()
    mkdirSync(folder.cluster)
    writeFileSync(join(folder.cluster, 'letter.txt'), 'dear')
    await assert.rejects(folder.start(), { name: 'StartError', message: /neither empty nor a PostgreSQL/ })
    assert.equal(readFileSync(join(folder.cluster, 'letter.txt'), 'utf8'), 'dear')
  })

  test('fails with the error of PostgreSQL', async () => {
    await using folder = dataFolder()
    await stopped(await folder.start())
    rmSync(join(folder.cluster, 'global', 'pg_control'))
    await assert.rejects(folder.start(), (error) => {
      assert.ok(error instanceof StartError)
      assert.match(error.message, /exit code 2, .*could not open file .*pg_control.*Its log is /s)
      return true
    })
  })

  test('replaces a lost password of a cluster, and rejects a wrong one', async () => {
    await using folder = dataFolder()
    const file = join(folder.path, 'postgres-password')
    await stopped(await folder.start())
    const before = readFileSync(file, 'utf8')
    rmSync(file)
    {
      await using server = await folder.start()
      assert.deepEqual(await ask(server.connection, 'select 1'), [1])
      assert.notEqual(readFileSync(file, 'utf8'), before)
    }
    writeFileSync(file, before)
    await assert.rejects(folder.start(), { name: 'StartError', message: /password .* remove the file/ })
    assert.deepEqual(folder.processes(), [])
  })

  test('rotates a log over its size limit', async () => {
    await using folder = dataFolder()
    const path = join(folder.path, 'postgres.log')
    writeFileSync(path, 'x'.repeat(9 * 1024 * 1024))
    await using _server = await folder.start()
    assert.equal(statSync(`${path}.1`).size, 9 * 1024 * 1024)
    assert.ok(statSync(path).size < 100_000)
  })
})

async function stopped(server: EmbeddedServer): Promise<void> {
  await server.stop()
}

/** The sockets of these processes that the kernel lists as TCP. */
function tcpSocketsOf(pids: readonly number[]): string[] {
  const tcp = ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => `socket:[${line.trim().split(/\s+/)[9]}]`)
  return pids
    .flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`)))
    .filter((target) => tcp.includes(target))
}
