import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createReader } from '../../packages/server/src/platform/database/connections/reader.ts'
import type { PointRead } from '../../packages/server/src/platform/database/connections/registry.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { until } from '../support/embedded.ts'
import { times } from '../support/load.ts'
import { fc } from '../support/property.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase
let writer: pg.Client

before(async () => {
  database = await createTestDatabase()
  writer = new pg.Client(database.connection)
  await writer.connect()
  await writer.query(
    "create table item (id int primary key, name text); insert into item values (1, 'one'), (2, 'two')",
  )
})

after(async () => {
  await writer?.end()
  await database?.[Symbol.asyncDispose]()
})

/** A reader, and the names of the statements that it has executed. */
function openReader({ size = 2, prepared = true } = {}) {
  const executed: string[] = []
  const reader = createReader({
    server: new DatabaseServer(database.connection),
    size,
    prepared,
    ownServer: true,
    available: async () => {},
    onError: () => {},
    observer: { waited() {}, lostConnection() {}, executed: (name) => executed.push(name) },
  })
  return { read: reader.read, executed, [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose]() }
}

const item = (id: number): PointRead => ({
  name: 'item',
  text: 'select id, name from item where id = $1',
  values: [id],
})

for (const prepared of [true, false]) {
  test(`equal reads that arrive together are one execution, others have their own: prepared ${prepared}`, async () => {
    await using reader = openReader({ prepared })
    for (const executions of [2, 4]) {
      const rows = await Promise.all(times(60, (index) => reader.read(item((index % 2) + 1))))
      rows.forEach((row, index) => {
        assert.deepEqual(row, [index % 2 === 0 ? { id: 1, name: 'one' } : { id: 2, name: 'two' }])
      })
      assert.equal(reader.executed.length, executions)
    }
    assert.deepEqual(await reader.read(item(1)), [{ id: 1, name: 'one' }])
    assert.equal(reader.executed.length, 5)
  })
}

const PAIR = 'select $1::text as a, $2::text as b'

test('reads that differ in a value, or in its type, share nothing', async () => {
  await using reader = openReader()
  const value = fc.oneof(
    fc.constantFrom(null, undefined, '', 'null', '{}', '{"1"}', '1', 'a,b', '","', 'true', '\\x01'),
    fc.boolean(),
    fc.integer({ min: 0, max: 2 }),
    fc.array(fc.constantFrom('1', ',', '"', 'null'), { maxLength: 2 }),
    fc.constantFrom(Buffer.from('1'), Buffer.from([])),
  )
  const values = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 12 })
  const pair = (values: readonly unknown[]) => ({ name: 'pair', text: PAIR, values })
  await fc.assert(
    fc.asyncProperty(values, async (all) => {
      const together = await Promise.all(all.map((values) => reader.read(pair(values))))
      for (const [index, values] of all.entries()) {
        assert.deepEqual(together[index], (await writer.query(PAIR, [...values])).rows)
      }
    }),
    { numRuns: 100 },
  )
})

test('a read finds what was committed before it, however many equal ones are in progress', async () => {
  await using reader = openReader()
  await writer.query('create table counter (n int); insert into counter values (0)')
  const counter = { name: 'counter', text: 'select n from counter', values: [] }
  const read = async () => ((await reader.read(counter)) as [{ n: number }])[0].n
  let stopped = false
  const others = times(20, async () => {
    while (!stopped) await read()
  })
  try {
    for (let n = 1; n <= 300; n++) {
      await writer.query('update counter set n = $1', [n])
      assert.deepEqual(await Promise.all([read(), read()]), [n, n])
    }
  } finally {
    stopped = true
    await Promise.all(others)
  }
})

test('an execution that fails fails for all of its callers, and for nobody else', async () => {
  await using reader = openReader({ size: 1 })
  const divided = (by: number) => ({ name: 'divided', text: 'select 10 / $1::int as n', values: [by] })
  const settled = await Promise.allSettled(times(30, (index) => reader.read(divided(index % 3))))
  settled.forEach((one, index) => {
    if (index % 3 === 0) assert.equal(one.status === 'rejected' && one.reason.code, '22012')
    else assert.deepEqual(one.status === 'fulfilled' && one.value, [{ n: 10 / (index % 3) }])
  })
  assert.equal(reader.executed.length, 3)
  await assert.rejects(reader.read(divided(0)), { code: '22012' })
  assert.deepEqual(await reader.read(divided(5)), [{ n: 2 }])
})

test('a value that PostgreSQL cannot be sent fails its own read', async () => {
  await using reader = openReader()
  const circular: unknown[] = []
  circular.push({ circular })
  const value = (value: unknown) => ({ name: 'value', text: 'select $1::text as value', values: [value] })
  const [failed, other] = await Promise.allSettled([reader.read(value([circular])), reader.read(value('a'))])
  assert.equal(failed.status, 'rejected')
  assert.deepEqual(other.status === 'fulfilled' && other.value, [{ value: 'a' }])
})

test('all callers of an execution that stalls give up, and later ones do not wait for it', async () => {
  await using reader = openReader({ size: 1 })
  await reader.read(item(1))
  await writer.query('begin; lock table item')
  try {
    const began = performance.now()
    assert.deepEqual(new Set(await Promise.all(times(20, () => reader.read(item(1))))), new Set([undefined]))
    assert.ok(performance.now() - began > 400)
    // The connection is known to be stalled.
    assert.equal(await reader.read(item(1)), undefined)
  } finally {
    await writer.query('rollback')
  }
  await until(async () => (await reader.read(item(1))) !== undefined)
  assert.deepEqual(await reader.read(item(1)), [{ id: 1, name: 'one' }])
})

test('all callers of an execution whose connection is lost get their rows over another one', async () => {
  await using reader = openReader()
  const [{ pid }] = (await reader.read({ name: 'pid', text: 'select pg_backend_pid() as pid', values: [] })) as [
    { pid: number },
  ]
  await writer.query('begin; lock table item')
  const reads = times(40, (index) => reader.read(item((index % 2) + 1)))
  await writer.query('select pg_terminate_backend($1)', [pid])
  await writer.query('rollback')
  const rows = await Promise.all(reads)
  rows.forEach((row, index) => {
    assert.deepEqual(row, [index % 2 === 0 ? { id: 1, name: 'one' } : { id: 2, name: 'two' }])
  })
})
