import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { hasSchema, migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { dumpSchema } from '../../tools/schema-dump.ts'
import { until } from '../support/embedded.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** A pool that ignores that the database is dropped while the connections of `migrate` are still being closed. */
function openPool({ connection }: TestDatabase, max: number): pg.Pool {
  const pool = new pg.Pool({ ...connection, max })
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  return pool
}

const RELEASES = join(import.meta.dirname, '../upgrade/releases')
const MIGRATIONS = join(import.meta.dirname, '../../packages/server/src/platform/database/migrations')

/** Restores an empty database of a release. */
async function restore(pool: pg.Pool, name: string): Promise<void> {
  const dump = brotliDecompressSync(readFileSync(join(RELEASES, name))).toString()
  // Lines that begin so are for psql alone.
  const client = await pool.connect()
  await client.query(dump.replaceAll(/^\\.*$/gm, ''))
  // The dump sets the search path of its connection.
  client.release(true)
}

async function isReady(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  try {
    return await hasSchema(client)
  } finally {
    client.release()
  }
}

for (const name of readdirSync(RELEASES).filter((name) => name.endsWith('-empty.sql.br'))) {
  test(`${name}: a migrated database has the schema of a new one`, async () => {
    await using database = await createEmptyDatabase()
    await using other = await createEmptyDatabase()
    const pool = openPool(database, 6)
    assert.equal(await isReady(pool), false, 'an empty database')
    await migrate(pool)
    assert.equal(await isReady(pool), true)
    const upgraded = openPool(other, 6)
    await restore(upgraded, name)
    await migrate(upgraded)
    assert.equal(await isReady(upgraded), true)
    assert.equal(await dumpSchema(upgraded), await dumpSchema(pool))
    await Promise.all([pool.end(), upgraded.end()])
  })
}

test('later migrations run once on a database in use, without a lock where they have a variant for that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recto-migrations-'))
  try {
    cpSync(MIGRATIONS, folder, { recursive: true })
    writeFileSync(join(folder, '0901_note.sql'), 'create table note (id bigint);')
    writeFileSync(join(folder, '0902_index.sql'), 'create index note_id on note (id);')
    mkdirSync(join(folder, 'online'), { recursive: true })
    const online = `-- Outside a transaction: writers go on.
drop index concurrently if exists note_id;
create index concurrently note_id on note (id);
`
    writeFileSync(join(folder, 'online/0902_index.sql'), online)
    await using database = await createTestDatabase()
    const pool = openPool(database, 4)
    await migrate(pool)
    const ran = await Promise.all([migrate(pool, folder), migrate(pool, folder)])
    assert.deepEqual(ran.flat().sort(), ['0901_note.sql', '0902_index.sql'])
    const { rows } = await pool.query(`select indisvalid from pg_index where indexrelid = 'note_id'::regclass`)
    assert.deepEqual(rows, [{ indisvalid: true }])
    await assert.rejects(migrate(pool), /brought to 0902_index\.sql by a newer release/)
    await pool.end()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a migration that was changed after it ran is rejected', async () => {
  await using database = await createTestDatabase()
  const pool = openPool(database, 4)
  await migrate(pool)
  await pool.query(`update schema_migration set checksum = 'x'`)
  await assert.rejects(migrate(pool), /was changed after this database ran it/)
  await pool.end()
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
  const { rows: removed } = await other.query('delete from schema_migration where name = $1 returning checksum', [name])
  await other.query('begin; select pg_advisory_xact_lock(7202611)')
  const migrated = migrate(pool)
  await until(async () => {
    const waiting = await pool.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle' and query = 'rollback'`,
    )
    return waiting.rowCount === 1
  })
  await other.query('insert into schema_migration (name, checksum) values ($1, $2)', [name, removed[0].checksum])
  await other.query('commit')
  other.release()
  assert.deepEqual(await migrated, [])
  await pool.end()
})
