import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask, dataFolder } from '../support/embedded.ts'

test('a first start makes a cluster that a restart finds again', async () => {
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

test('the cluster has checksums, a builtin locale, durable settings, and an ordinary role', async () => {
  await using folder = dataFolder()
  await using server = await folder.start()
  const show = async (name: string) => (await ask(server.connection, `select current_setting('${name}')`))[0]
  assert.equal(await show('data_checksums'), 'on')
  assert.equal(await show('server_encoding'), 'UTF8')
  assert.equal(await show('fsync'), 'on')
  assert.equal(await show('synchronous_commit'), 'on')
  assert.equal(await show('is_superuser'), 'off')
  const locale = await ask(
    server.connection,
    "select concat(datlocprovider, ' ', datlocale) from pg_database where datname = current_database()",
  )
  assert.deepEqual(locale, ['b C.UTF-8'])
})

test('the server listens on no TCP port, and its files are for their owner alone', async () => {
  await using folder = dataFolder()
  await using server = await folder.start()
  assert.deepEqual(await ask(server.connection, "select current_setting('listen_addresses')"), [''])
  const mode = (path: string) => statSync(path).mode & 0o777
  assert.equal(mode(server.connection.host), 0o700)
  assert.equal(mode(folder.cluster), 0o700)
  assert.equal(mode(join(folder.path, 'postgres-password')), 0o600)
  await assert.rejects(ask({ ...server.connection, password: 'wrong' }, 'select 1'), { code: '28P01' })
})
