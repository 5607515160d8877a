import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { PreparedRead } from '../../packages/server/src/platform/database/connections/prepared-read.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

// The contract with the private parts of pg that prepared-read.ts relies on: docs/adr/0014-pipelined-statements.md.

let database: TestDatabase

before(async () => {
  database = await createTestDatabase()
  await using client = await connect()
  await client.pg.query(
    "create table item (id int primary key, name text, tags text[]); insert into item values (1, 'one', '{a,b}'), (2, null, null)",
  )
})

after(() => database?.[Symbol.asyncDispose]())

/** A connection, and the number of descriptions of columns that the server has sent over it. */
async function connect() {
  const client = new pg.Client({ ...database.connection, pipeline: true })
  await client.connect()
  let descriptions = 0
  client.connection.on('rowDescription', () => descriptions++)
  return {
    pg: client,
    descriptions: () => descriptions,
    read: (name: string, text: string, ...values: unknown[]) =>
      new Promise<unknown[]>((resolve, reject) => {
        const query = new PreparedRead({ name, text, values }, (error, result) =>
          error ? reject(error) : resolve(result.rows),
        )
        client.query(query)
      }),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

const ITEM = 'select id, name, tags from item where id = $1'

test('the server describes the columns of a prepared read once for a connection', async () => {
  await using client = await connect()
  const first = await client.read('item', ITEM, 1)
  assert.deepEqual(first, [{ id: 1, name: 'one', tags: ['a', 'b'] }])
  assert.equal(client.descriptions(), 1)
  assert.deepEqual(await client.read('item', ITEM, 1), first)
  assert.deepEqual(await client.read('item', ITEM, 2), [{ id: 2, name: null, tags: null }])
  assert.deepEqual(await client.read('item', ITEM, 3), [])
  assert.equal(client.descriptions(), 1)
  assert.deepEqual(Object.keys((await client.read('item', ITEM, 1))[0] as object), ['id', 'name', 'tags'])

  await using other = await connect()
  assert.deepEqual(await other.read('item', ITEM, 1), first)
  assert.equal(other.descriptions(), 1)
})

test('reads that are sent together, by several statements, get their own rows', async () => {
  await using client = await connect()
  const named = 'select name from item where id = $1'
  const rounds = Array.from({ length: 20 }, (_, index) => (index % 2) + 1)
  for (let round = 0; round < 2; round++) {
    const rows = await Promise.all(
      rounds.flatMap((id) => [client.read('item', ITEM, id), client.read('named', named, id)]),
    )
    rounds.forEach((id, index) => {
      const name = id === 1 ? 'one' : null
      assert.deepEqual(rows[2 * index], [{ id, name, tags: id === 1 ? ['a', 'b'] : null }])
      assert.deepEqual(rows[2 * index + 1], [{ name }])
    })
  }
})

test('a read that fails fails alone, whether or not its columns are known', async () => {
  await using client = await connect()
  const divided = 'select 10 / $1::int as n'
  await assert.rejects(client.read('divided', divided, 0), { code: '22012' })
  assert.deepEqual(await client.read('divided', divided, 5), [{ n: 2 }])
  const [failed, succeeded] = await Promise.allSettled([
    client.read('divided', divided, 0),
    client.read('divided', divided, 2),
  ])
  assert.equal(failed.status === 'rejected' && failed.reason.code, '22012')
  assert.deepEqual(succeeded.status === 'fulfilled' && succeeded.value, [{ n: 5 }])
  await assert.rejects(client.read('wrong', 'select nothing from item'), { code: '42703' })
})

test('PostgreSQL refuses a prepared read whose columns have changed', async () => {
  await using client = await connect()
  await client.pg.query('create table changing (id int); insert into changing values (1)')
  const all = 'select * from changing'
  assert.deepEqual(await client.read('all', all), [{ id: 1 }])
  await client.pg.query('alter table changing alter id type text')
  await assert.rejects(client.read('all', all), /cached plan must not change result type/)
})
