import assert from 'node:assert/strict'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { send } from '../../packages/server/src/platform/database/embedded/processes.ts'
import type { EmbeddedServer } from '../../packages/server/src/platform/database/embedded/server.ts'
import { ask, dataFolder, occupy, runs, until } from '../support/embedded.ts'

const BUSY = 'select count(*) from generate_series(1, 1e15::bigint)'

const CHECKPOINTER = "select pid from pg_stat_activity where backend_type = 'checkpointer'"

describe('the supervision', { concurrency: 4, timeout: 90_000 }, () => {
  test('restarts a killed postmaster, and reports it meanwhile', async () => {
    await using folder = dataFolder()
    await using server = await folder.start()
    await ask(server.connection, 'create table kept as select 42 as answer')
    send(folder.postmaster(), 'SIGKILL')
    await until(() => !server.state().up)
    assert.match(reasonOf(server), /signal SIGKILL/)
    await until(() => server.state().up)
    assert.deepEqual(await ask(server.connection, 'select answer from kept'), [42])
  })

  test('stops the backends that survived a killed postmaster', async () => {
    await using folder = dataFolder()
    await using server = await folder.start()
    const backend = await occupy(server.connection, BUSY)
    send(folder.postmaster(), 'SIGKILL')
    await until(() => !server.state().up)
    await until(() => server.state().up)
    assert.ok(!runs(backend))
  })

  test('recovers after kill -9 of one backend, of the checkpointer, and of all processes', async () => {
    await using folder = dataFolder()
    await using server = await folder.start()
    await ask(server.connection, 'create table kept as select 42 as answer')
    const superuser = { ...server.connection, user: 'postgres' }
    const victims = [
      async () => [await occupy(server.connection, 'select pg_sleep(1000)')],
      async () => (await ask(superuser, CHECKPOINTER)) as number[],
      async () => [...folder.processes()],
    ]
    for (const victimsOf of victims) {
      const pids = await victimsOf()
      assert.ok(pids.length > 0)
      for (const pid of pids) send(pid, 'SIGKILL')
      await until(() => !pids.some(runs))
      await until(async () => {
        const answer = await ask(server.connection, 'select answer from kept').catch(() => [])
        return answer[0] === 42
      })
    }
  })

  test('retries while the server cannot start, logs the reason, and recovers without intervention', async () => {
    await using folder = dataFolder()
    await using server = await folder.start()
    const control = join(folder.cluster, 'global', 'pg_control')
    renameSync(control, `${control}.away`)
    send(folder.postmaster(), 'SIGKILL')
    await until(() => /could not open file .*pg_control/s.test(reasonOf(server)))
    renameSync(`${control}.away`, control)
    await until(() => server.state().up, 15_000)
    assert.deepEqual(await ask(server.connection, 'select 1'), [1])
  })

  test('can be stopped while the server is down', async () => {
    await using folder = dataFolder()
    const server = await folder.start()
    const control = join(folder.cluster, 'global', 'pg_control')
    renameSync(control, `${control}.away`)
    send(folder.postmaster(), 'SIGKILL')
    await until(() => /could not open file .*pg_control/s.test(reasonOf(server)))
    await within(2_000, server.stop())
    assert.deepEqual(folder.processes(), [])
  })

  test('stops cleanly with a connection open and a query running', async () => {
    await using folder = dataFolder()
    const server = await folder.start()
    await occupy(server.connection, BUSY)
    await within(4_000, server.stop())
    assert.ok(!existsSync(folder.pidFile))
    assert.deepEqual(folder.processes(), [])
  })

  test('stops a server with a frozen backend', async () => {
    await using folder = dataFolder()
    const server = await folder.start()
    const backend = await occupy(server.connection, 'select pg_sleep(1000)')
    send(backend, 'SIGSTOP')
    await within(14_000, server.stop())
    assert.ok(!runs(backend))
    assert.deepEqual(folder.processes(), [])
  })

  test('stops a frozen server', async () => {
    await using folder = dataFolder()
    const server = await folder.start()
    send(folder.postmaster(), 'SIGSTOP')
    await within(14_000, server.stop())
    assert.deepEqual(folder.processes(), [])
  })
})

function reasonOf(server: EmbeddedServer): string {
  const state = server.state()
  return state.up ? '' : state.reason
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const before = performance.now()
  await work
  const took = performance.now() - before
  assert.ok(took < ms, `${took.toFixed()} ms`)
}
