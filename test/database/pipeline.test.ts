import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { sendPipelined } from '../../packages/server/src/platform/database/connections/pipeline.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

// The contract with the private parts of pg that pipeline.ts relies on: docs/adr/0014-pipelined-statements.md.

let database: TestDatabase
let client: pg.Client

before(async () => {
  database = await createTestDatabase()
  client = new pg.Client(database.connection)
  await client.connect()
  await client.query('create table item (id int primary key)')
})

after(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

const statement = (text: string, values: readonly unknown[] = [], name?: string) => ({ text, values, name })
const ids = async () => (await client.query('select id from item order by id')).rows.map(({ id }) => id)

test('pipelined statements return their results in order', async () => {
  const results = await sendPipelined(client, [
    statement('begin'),
    statement('select $1::int as n', [1]),
    statement('insert into item values (1)'),
    statement('commit'),
  ])
  assert.deepEqual(
    results.map(({ command, rows }) => [command, rows]),
    [
      ['BEGIN', []],
      ['SELECT', [{ n: 1 }]],
      ['INSERT', []],
      ['COMMIT', []],
    ],
  )
  assert.deepEqual(await ids(), [1])
})

test('a statement that fails rejects the batch, and the commit after it does not run', async () => {
  const batch = sendPipelined(client, [
    statement('begin'),
    statement('insert into item values (2)'),
    statement('insert into item values (1)'),
    statement('commit'),
  ])
  await assert.rejects(batch, { code: '23505' })
  await client.query('rollback')
  assert.deepEqual(await ids(), [1])
})

test('a value that cannot be sent rejects the batch, and the statements after it do not run', async () => {
  const unsendable = {
    toPostgres() {
      throw new Error('unsendable')
    },
  }
  const batch = sendPipelined(client, [
    statement('begin'),
    statement('select $1', [unsendable]),
    statement('insert into item values (3)'),
    statement('commit'),
  ])
  await assert.rejects(batch, /unsendable/)
  await client.query('rollback')
  assert.deepEqual(await ids(), [1])
})

test('a named statement is prepared once and used by later batches and plain queries', async () => {
  const text = 'select $1::int + 1 as n'
  const batch = [statement(text, [1], 'next'), statement(text, [2], 'next')]
  const results = [...(await sendPipelined(client, batch)), ...(await sendPipelined(client, batch))]
  assert.deepEqual(
    results.map(({ rows }) => rows[0].n),
    [2, 3, 2, 3],
  )
  const plain = await client.query({ text, values: [3], name: 'next' })
  assert.deepEqual(plain.rows, [{ n: 4 }])
  const prepared = await client.query("select from pg_prepared_statements where name = 'next'")
  assert.equal(prepared.rowCount, 1)
})

test('a named statement after a failed one is prepared by the next batch', async () => {
  const text = 'select $1::int as late'
  const failing = sendPipelined(client, [statement('insert into item values (1)'), statement(text, [1], 'late')])
  await assert.rejects(failing, { code: '23505' })
  const [result] = await sendPipelined(client, [statement(text, [2], 'late')])
  assert.deepEqual(result?.rows, [{ late: 2 }])
})
