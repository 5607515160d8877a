import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { assertProblem, assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let other: pg.Client
before(async () => {
  nodes = await startNodes()
  await nodes.admins[0].space('docs')
  other = new pg.Client(nodes.connection)
  await other.connect()
})
after(async () => {
  await other.end()
  await nodes[Symbol.asyncDispose]()
})

/** Runs `change` in a transaction of another writer, and commits it while `write` waits for its lock. */
async function overtake<T>(change: string, write: () => Promise<T>): Promise<T> {
  await other.query('begin')
  await other.query(change)
  const written = write()
  await until(async () => {
    const { rows } = await nodes.query(
      `select count(*)::int as n from pg_locks where not granted and locktype = 'transactionid'`,
    )
    return rows[0].n > 0
  })
  await other.query('commit')
  return written
}

const count = async (table: string) =>
  (await nodes.query(`select count(*)::int as n from ${table}`)).rows[0].n as number

test('an update that another writer overtakes gets 412, and nothing of it is stored', async () => {
  const [admin] = nodes.admins
  assertStatus(await admin.put('/pages/docs/page', '# First\n\nbefore'), 201)
  const [revisions, events] = [await count('revision'), await count('event')]
  const answer = await overtake(
    `with changed as (update page set version = 2, title = 'Second' where path = 'page' returning space_id, id)
     insert into revision (space_id, page_id, version, id, title, size, data, created_at, created_by)
     select space_id, page_id, 2, gen_random_uuid(), 'Second', size, data, now(), created_by from revision
       join changed using (space_id) where page_id = changed.id`,
    () => admin.put('/pages/docs/page', '# Lost\n\nvanished', { 'if-match': '"1"' }),
  )
  assertProblem(answer, 412, 'precondition_failed')
  assert.equal(await count('revision'), revisions + 1)
  assert.equal(await count('event'), events)
  assert.deepEqual((await admin.get('/search?q=vanished')).json.items, [])
  assertStatus(await admin.put('/pages/docs/page', '# Third\n\nfound', { 'if-match': '"2"' }), 200)
  assert.equal((await admin.get('/search?q=found')).json.items.length, 1)
})

test('a patch that another writer overtakes is applied to what that one wrote, with one audit event', async () => {
  const [admin] = nodes.admins
  assertStatus(await admin.put('/pages/docs/log', '# Log'), 201)
  assertStatus(await admin.patch('/pages/docs/log/metadata', { append: { log: 1 } }), 200)
  const change = `update page_metadata set doc = '{"log": [1, 2]}', last_seq = 2 where doc ? 'log'`
  const answer = await overtake(change, () => admin.patch('/pages/docs/log/metadata', { append: { log: 3 } }))
  assertStatus(answer, 200)
  assert.deepEqual(answer.json.metadata, { log: [1, 2, 3] })
  const { rows } = await nodes.query('select seq from metadata_event order by seq')
  assert.deepEqual(rows, [{ seq: 1 }, { seq: 3 }])
})

test('a patch of a page that goes to the trash meanwhile is rejected', async () => {
  const [admin] = nodes.admins
  assertStatus(await admin.put('/pages/docs/gone', '# Gone'), 201)
  assertStatus(await admin.patch('/pages/docs/gone/metadata', { set: { gone: true } }), 200)
  const answer = await overtake(
    `with deleted as (update page set deleted_at = now() where path = 'gone' returning space_id, id)
     update page_metadata metadata set in_trash = true from deleted
     where metadata.space_id = deleted.space_id and metadata.page_id = deleted.id`,
    () => admin.patch('/pages/docs/gone/metadata', { set: { gone: false } }),
  )
  assertProblem(answer, 404, 'not_found')
})
