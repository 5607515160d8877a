import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { assertStatus } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

// A database that was moved to a server whose transactions have lower ids: the change feed goes on.
let nodes: Nodes
let pool: pg.Pool
before(async () => {
  nodes = await startNodes()
  pool = new pg.Pool({ ...nodes.connection, ssl: false, max: 2 })
  await nodes.admins[0].space('docs')
})
after(async () => {
  await pool.end()
  await nodes[Symbol.asyncDispose]()
})

async function value(sql: string): Promise<unknown> {
  return (await pool.query({ text: sql, rowMode: 'array' })).rows[0]?.[0]
}

/** The paths of the events after a cursor, once there are so many, and the next cursor. */
async function pathsSince(cursor: string, count: number): Promise<{ readonly paths: string[]; readonly next: string }> {
  const paths: string[] = []
  let next = cursor
  while (paths.length < count) {
    const { json } = assertStatus(await nodes.admins[1].get(`/changes?since=${next}&wait=30`), 200)
    for (const item of json.items) paths.push(item.page.path)
    next = json.nextCursor
  }
  return { paths, next }
}

const put = async (path: string) => assertStatus(await nodes.admins[0].put(`/pages/docs/${path}`, 'x'), 201)
const now = async (): Promise<string> => (await nodes.admins[0].get('/changes?since=now')).json.nextCursor

test('a database that has never moved has the ids of its server, and its index is used', async () => {
  assert.equal(await value('select transaction_shift()::text'), '0')
  const { rows } = await pool.query(
    `explain (verbose, costs off) insert into event (id, kind, space_id, actor_id, at, data)
     values (gen_random_uuid(), 'x', 1, gen_random_uuid(), now(), '{}')`,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /pg_current_xact_id\(\)/)
  assert.doesNotMatch(plan, /shift/)
})

test('after a move to a server with lower ids, a cursor from before goes on without loss or repetition', async () => {
  for (const server of ['elsewhere', 'elsewhere again']) {
    const shift = BigInt(String(await value('select transaction_shift()::text')))
    const before = await now()
    await put(`${server}-a`)
    const idle = (await pathsSince(before, 1)).next
    await pool.query('update transaction_origin set server = $1', [server])
    await migrate(pool)
    assert.ok(BigInt(String(await value('select transaction_shift()::text'))) > shift + 2n ** 32n)
    await put(`${server}-b`)
    assert.deepEqual((await pathsSince(before, 2)).paths, [`${server}-a`, `${server}-b`])
    const { paths, next } = await pathsSince(idle, 1)
    assert.deepEqual(paths, [`${server}-b`])
    await put(`${server}-c`)
    assert.deepEqual((await pathsSince(next, 1)).paths, [`${server}-c`])
  }
})

test('ids that are ahead of the server are found although the server is the same, and a second start shifts nothing', async () => {
  const before = await now()
  await pool.query(`update event set transaction_id = '99999999999999' where seq = (select max(seq) from event)`)
  await migrate(pool)
  const shift = await value('select transaction_shift()::text')
  assert.ok(BigInt(String(shift)) > 99_999_999_999_999n)
  await migrate(pool)
  assert.equal(await value('select transaction_shift()::text'), shift)
  await put('after')
  // The event that is ahead comes again.
  assert.equal((await pathsSince(before, 2)).paths[1], 'after')
})
