import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { SUPERUSER } from '../../packages/server/src/platform/database/embedded/initialise.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { scrape } from '../support/metrics.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

// What the change feed waits for: transactions of its own database, and of no other one.
const OTHER = `other_${process.pid}`
const HELD_BACK = 'recto_feed_held_back_seconds'

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
  await using superuser = await connect(nodes.connection.database)
  await superuser.query(`create database ${OTHER}`)
  await nodes.admins[0].space('docs')
  // Otherwise the feed may return the event of the space to a test.
  await until(async () => (await nodes.admins[1].get('/changes')).json.items.length > 0)
})
after(async () => {
  {
    await using superuser = await connect(nodes.connection.database)
    await superuser.query(`drop database ${OTHER} with (force)`)
  }
  await nodes[Symbol.asyncDispose]()
})

/** A connection to a database of the server as another role, whose sessions the service may not look into. */
async function connect(database: string) {
  const client = new pg.Client({ ...nodes.connection, user: SUPERUSER, database, ssl: false })
  await client.connect()
  return { query: (text: string) => client.query(text), [Symbol.asyncDispose]: () => client.end() }
}

/** Begins a transaction that counts as a writer. */
async function beginWriter(database: string) {
  const client = await connect(database)
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return client
}

const now = async (): Promise<string> => (await nodes.admins[0].get('/changes?since=now')).json.nextCursor

async function pathsSince(cursor: string, wait = 0): Promise<string[]> {
  const { json } = assertStatus(await nodes.admins[1].get(`/changes?since=${cursor}&wait=${wait}`), 200)
  return json.items.map((item: { page: { path: string } }) => item.page.path)
}

const heldBack = async () => (await scrape(nodes.admins[0])).samples.get(HELD_BACK) ?? 0

test('a transaction that is open in another database of the server does not hold back the feed', async () => {
  await using _other = await beginWriter(OTHER)
  const since = await now()
  const following = pathsSince(since, 30)
  assertStatus(await nodes.admins[0].put('/pages/docs/a', 'x'), 201)
  assert.deepEqual(await following, ['a'])
  assert.deepEqual(await pathsSince(since), ['a'])
  assert.equal(await heldBack(), 0)
})

test('a transaction that is open in the database of the feed holds it back, until its events come first', async () => {
  await using _other = await beginWriter(OTHER)
  await using own = await beginWriter(nodes.connection.database)
  const since = await now()
  assertStatus(await nodes.admins[0].put('/pages/docs/b', 'x'), 201)
  await until(async () => (await heldBack()) > 0.5)
  assert.deepEqual(await pathsSince(since), [])
  await own.query(`insert into event (id, kind, space_id, page_id, actor_id, at, data)
    select gen_random_uuid(), kind, space_id, page_id, actor_id, at, data || '{"path": "first"}'
    from event order by transaction_id desc limit 1`)
  await own.query('commit')
  assert.deepEqual(await pathsSince(since, 30), ['first', 'b'])
})
