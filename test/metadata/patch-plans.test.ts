import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { fillMetadata } from '../../bench/metadata-data.ts'
import { writeChanges } from '../../packages/server/src/content/metadata/store-changes.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb, type Db } from '../../packages/server/src/platform/database/database.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { inTransaction } from '../../packages/server/src/platform/database/transaction.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** PostgreSQL decides after five executions whether it plans a statement anew each time. */
const PATCHES = 20

const closing = new AsyncDisposableStack()
let pool: pg.Pool
let other: pg.Client
let db: Db
let page: { readonly spaceId: number; readonly pageId: number; readonly actorId: string }

before(async () => {
  const { connection } = closing.use(await createTestDatabase())
  const settings = { server: new DatabaseServer(connection), prepared: true, onError: () => {} }
  const migrating = createPool({ ...settings, size: 2 })
  await migrate(migrating)
  await migrating.end()
  // One connection, which knows what it has prepared.
  pool = createPool({ ...settings, size: 1 })
  closing.defer(() => pool.end())
  db = createDb(pool)
  await pool.query(
    `insert into principal (id, kind, name, role, created_at) values ('${randomUUID()}', 'human', 'Ann', 'admin', now())`,
  )
  other = new pg.Client(connection)
  await other.connect()
  closing.defer(() => other.end())
  await fillMetadata(other, 500)
  const { rows } = await pool.query(`select space_id as "spaceId", id as "pageId", created_by as "actorId" from page
    where space_id = (select space_id from page group by space_id order by count(*) desc limit 1) limit 1`)
  page = rows[0]
})
after(() => closing.disposeAsync())

async function patch(seq: number, now: Date): Promise<void> {
  const keys = ['priority', 'owner', 'done', 'tags']
  const changes = keys.map((key) => {
    const [before, after] = [seq - 1, seq].map((n) => testValue(key, n))
    return { key, op: 'set' as const, before, after }
  })
  const lastSeq = seq * keys.length
  await inTransaction({ db }, (tx) => writeChanges(tx, [{ ...page, patchId: randomUUID(), lastSeq, changes, now }]))
}

function testValue(key: string, n: number): unknown {
  return { priority: n, owner: `owner ${n}`, done: n % 2 === 0, tags: [`tag ${n}`] }[key]
}

test('the statements of a patch are planned once for each connection', async () => {
  for (let seq = 0; seq < PATCHES; seq++) await patch(seq, new Date())
  const { rows } = await pool.query(
    `select name, generic_plans from pg_prepared_statements where name like '%metadata%'`,
  )
  const names = rows.map(({ name }) => name)
  assert.ok(names.includes('change_metadata') && names.includes('touch_metadata_keys'), `${names}`)
  for (const { name, generic_plans } of rows) assert.ok(Number(generic_plans) >= PATCHES - 5, name)
})

test('a patch sets the time of its keys, and does not wait for others that set it', async () => {
  const { rows } = await pool.query(`select last_seq as "lastSeq" from page_metadata where page_id = $1`, [page.pageId])
  const seq = rows[0].lastSeq / 4
  const now = new Date(Date.now() + 60_000)
  await patch(seq, now)
  const times = async () => {
    const { rows } = await pool.query(
      `select key, max(updated_at) as at from metadata_key where space_id = $1 and key in ('priority', 'done') group by key`,
      [page.spaceId],
    )
    return rows.map(({ at }) => at.toISOString())
  }
  assert.deepEqual(await times(), [now.toISOString(), now.toISOString()])
  await other.query('begin')
  await other.query('select from metadata_key for update')
  await patch(seq + 1, new Date(now.getTime() + 1_000))
  await other.query('rollback')
  assert.deepEqual(await times(), [now.toISOString(), now.toISOString()])
  await patch(seq + 2, new Date(now.getTime() - 1_000))
  assert.deepEqual(await times(), [now.toISOString(), now.toISOString()])
})
