import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { dumpSchema, SCHEMA_FILE } from '../../tools/schema-dump.ts'
import { until } from '../support/embedded.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** A pool that ignores that the database is dropped while the connections of `migrate` are still being closed. */
function openPool({ connection }: TestDatabase, max: number): pg.Pool {
  const pool = new pg.Pool({ ...connection, max })
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  return pool
}

test('packages/server/src/platform/database/schema.sql equals the schema of the migrations (npm run schema)', async () => {
  await using database = await createTestDatabase()
  const pool = openPool(database, 6)
  await migrate(pool)
  const schema = await dumpSchema(pool)
  await pool.end()
  assert.equal(schema, readFileSync(SCHEMA_FILE, 'utf8'))
})

test('migrate rejects a pool of one connection, on which it would deadlock', async () => {
  await assert.rejects(migrate(new pg.Pool({ max: 1 })), /two connections/)
})

test('a node that waits while another one migrates has no transaction open, which create index concurrently would wait for', async () => {
  await using database = await createTestDatabase()
  const pool = openPool(database, 4)
  const other = await pool.connect()
  await migrate(pool)
  const { rows } = await other.query('select max(name) as name from schema_migration')
  const [{ name }] = rows
  const { rows: removed } = await other.query(
    'delete from schema_migration where name = $1 returning checksum',
    [name],
  )
  await other.query('begin; select pg_advisory_xact_lock(7202611)')
  const migrated = migrate(pool)
  await until(async () => {
    const waiting = await pool.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle' and query = 'rollback'`,
    )
    return waiting.rowCount === 1
  })
  await other.query('insert into schema_migration (name, checksum) values ($1, $2)', [
    name,
    removed[0].checksum,
  ])
  await other.query('commit')
  other.release()
  assert.deepEqual(await migrated, [])
  await pool.end()
})
