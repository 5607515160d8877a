import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { copyOut } from '../../packages/server/src/platform/database/connections/copy-out.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

// The contract with the parts of pg that copy-out.ts relies on, which its types leave out.

let database: TestDatabase
let client: pg.Client

before(async () => {
  database = await createTestDatabase()
  client = new pg.Client(database.connection)
  await client.connect()
})

after(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

const copy = (select: string) => copyOut(client, `copy (${select}) to stdout (format binary)`)

test('a binary copy returns each row byte for byte, whatever its size', async () => {
  const values = [0, 1, 19, 70_000, 262_144, 262_144, 262_144].map((size) => randomBytes(size))
  await client.query('create table item (id int, data bytea)')
  for (const [id, data] of values.entries()) await client.query('insert into item values ($1, $2)', [id, data])
  const rows = await copy('select data from item order by id')
  assert.deepEqual(
    rows.map(({ data }) => data.toString('base64')),
    values.map((data) => data.toString('base64')),
  )
})

test('a copy without rows returns none', async () => {
  assert.deepEqual(await copy(`select ''::bytea where false`), [])
})

test('an error after some rows rejects the copy, and the connection goes on', async () => {
  const failing = copy(`select (1000 / (500 - n))::text::bytea from generate_series(1, 1000) n`)
  await assert.rejects(failing, { code: '22012' })
  assert.deepEqual(await copy(`select 'x'::bytea`), [{ data: Buffer.from('x') }])
  assert.deepEqual((await client.query('select 1 as n')).rows, [{ n: 1 }])
})

test('a copy rejects when its connection is lost', async () => {
  const lost = new pg.Client(database.connection)
  lost.on('error', () => {})
  await lost.connect()
  const { rows } = await lost.query('select pg_backend_pid() as pid')
  const rejected = assert.rejects(copyOut(lost, 'copy (select pg_sleep(60)::text::bytea) to stdout (format binary)'), {
    code: '57P01',
  })
  await client.query('select pg_terminate_backend($1)', [rows[0].pid])
  await rejected
})
