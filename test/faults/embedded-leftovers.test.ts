import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { send } from '../../packages/server/src/platform/database/embedded/processes.ts'
import { ask, type DataFolder, dataFolder, occupy, runs, until } from '../support/embedded.ts'

/** A query that never looks whether its server is still there. */
const BUSY = 'select count(*) from generate_series(1, 1e15::bigint)'

describe('remains of an earlier run', { concurrency: 4, timeout: 90_000 }, () => {
  for (const where of [undefined, 'worker'] as const) {
    const watch = where === undefined ? 'the kernel watches' : 'a shell watches'
    test(`a server ends with its parent, also after kill -9 (${watch})`, async () => {
      await using folder = dataFolder()
      const child = folder.startChild(where)
      await ask(await child.connection, 'create table kept as select 42 as answer')
      const before = folder.processes()
      assert.ok(before.length > 1)
      await child.kill()
      await until(() => !before.some(runs))
      assert.ok(!existsSync(folder.pidFile), 'it had the time to stop cleanly')
      await using server = await folder.start()
      assert.deepEqual(await ask(server.connection, 'select answer from kept'), [42])
    })
  }

  test('a start after kill -9 of a busy server takes less than 10 s', async () => {
    await using folder = dataFolder()
    const child = folder.startChild()
    const backend = await occupy(await child.connection, BUSY)
    await child.kill()
    await startWithin10s(folder)
    assert.ok(!runs(backend))
  })

  test('an orphan that cannot stop by itself is stopped', async () => {
    await using folder = dataFolder()
    const child = folder.startChild()
    const backend = await occupy(await child.connection, 'select pg_sleep(1000)')
    const postmaster = folder.postmaster()
    send(backend, 'SIGSTOP')
    await child.kill()
    await delay(300)
    assert.ok(runs(postmaster), 'the orphan waits for its frozen backend')
    await startWithin10s(folder)
    assert.ok(!runs(backend) && !runs(postmaster))
  })

  test('a frozen orphan is stopped', async () => {
    await using folder = dataFolder()
    const child = folder.startChild()
    await child.connection
    const postmaster = folder.postmaster()
    send(postmaster, 'SIGSTOP')
    await child.kill()
    await startWithin10s(folder)
    assert.ok(!runs(postmaster))
  })

  test('a backend that survives postmaster and parent is stopped', async () => {
    await using folder = dataFolder()
    const child = folder.startChild()
    const backend = await occupy(await child.connection, BUSY)
    // Frozen, so that it neither asks its server to stop nor starts another.
    child.process.kill('SIGSTOP')
    send(folder.postmaster(), 'SIGKILL')
    await child.kill()
    assert.ok(runs(backend), 'it goes on')
    await startWithin10s(folder)
    assert.ok(!runs(backend))
  })

  test('an orphan that no parent-death signal reaches is stopped', async () => {
    await using folder = dataFolder()
    const child = folder.startChild()
    await child.connection
    const all = folder.processes()
    for (const pid of all) send(pid, 'SIGSTOP')
    await child.kill()
    await startWithin10s(folder)
    assert.ok(!all.some(runs))
  })

  test('an initialisation that was interrupted at any moment is repeated', async () => {
    await using folder = dataFolder()
    for (const ms of [60, 150, 250, 350, 450, 600, 800, 1_000]) {
      const child = folder.startChild()
      await until(() => existsSync(join(folder.path, 'serve.pid')))
      await delay(ms)
      await child.kill()
    }
    const server = await startWithin10s(folder, false)
    assert.deepEqual(initFolders(folder), [])
    await ask(server.connection, 'create table kept as select 42 as answer')
    await server.stop()
  })

  test('a postmaster.pid that is stale, empty, truncated or has a reused process id does not prevent a start', async () => {
    await using folder = dataFolder()
    await (await folder.start()).stop()
    const zombie = await makeZombie()
    const texts = {
      'a dead number': pidFile(folder, 32_000_000),
      empty: '',
      'cut short': '12',
      'the number of this very process': pidFile(folder, process.pid),
      'the number of a zombie': pidFile(folder, zombie.pid),
      'no number': 'what?\n',
    }
    for (const [what, text] of Object.entries(texts)) {
      writeFileSync(folder.pidFile, text)
      const server = await folder.start()
      assert.deepEqual(await ask(server.connection, 'select 1'), [1], what)
      await server.stop()
    }
    assert.ok(runs(process.pid))
    zombie.end()
  })

  test('a stale socket and its lock file do not prevent a start', async () => {
    await using folder = dataFolder()
    const child = folder.startChild()
    const { host, port } = await child.connection
    for (const pid of folder.processes()) send(pid, 'SIGKILL')
    await child.kill()
    assert.ok(existsSync(join(host, `.s.PGSQL.${port}`)))
    for (const text of ['', `${process.pid}\n${folder.cluster}\n1\n5432\n${host}\n`]) {
      mkdirSync(host, { recursive: true })
      writeFileSync(join(host, `.s.PGSQL.${port}.lock`), text)
      await startWithin10s(folder)
    }
  })
})

function startWithin10s(folder: DataFolder): Promise<undefined>
function startWithin10s(folder: DataFolder, stop: false): ReturnType<DataFolder['start']>
async function startWithin10s(folder: DataFolder, stop = true) {
  const before = performance.now()
  const server = await folder.start()
  assert.deepEqual(await ask(server.connection, 'select 1'), [1])
  const took = performance.now() - before
  assert.ok(took < 10_000, `${took.toFixed()} ms`)
  if (!stop) return server
  await server.stop()
  return undefined
}

function initFolders(folder: DataFolder): string[] {
  return readdirSync(folder.path).filter((name) => name.includes('init'))
}

function pidFile(folder: DataFolder, pid: number): string {
  return `${pid}\n${folder.cluster}\n1700000000\n5432\n${folder.path}/socket\n\n  5432001 0\nready   \n`
}

/** A process that has ended and whose parent does not ask how. */
async function makeZombie(): Promise<{ pid: number; end(): void }> {
  const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  await until(() => !runs(pid))
  process.kill(pid, 0)
  return { pid, end: () => parent.kill('SIGKILL') }
}
