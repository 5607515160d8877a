import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { REFRESH_STATISTICS } from './statistics.ts'

const FOLDER = join(import.meta.dirname, 'migrations')
/** Any number: it only has to be the same in every node that migrates one database. */
const LOCK = 7_202_611

/**
 * Brings the database to the newest schema. Several nodes may do so at once: each file runs in a transaction of its own
 * under one lock, and exactly once. Returns the names of the files that this call ran.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const files = migrationFiles()
  const ran: string[] = []
  const client = await pool.connect()
  try {
    // Those of requests do not fit. The client is not given back with these.
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    await refuseOldServer(client)
    const left = await pending(client, files)
    for (const name of left) {
      if (await runOnce(client, name)) ran.push(name)
    }
    // What a migration fills or indexes has no statistics yet. A new database has nothing to count.
    if (ran.length > 0 && left.length < files.length) await client.query(REFRESH_STATISTICS)
  } finally {
    client.release(true)
  }
  return ran
}

/** Whether the database has every migration of this release; those of a newer one are made to be lived with. */
export async function hasSchema(client: pg.ClientBase): Promise<boolean> {
  names ??= migrationFiles()
  try {
    const { rows } = await client.query(
      'select count(*)::int as count from schema_migration where name = any($1)',
      [names],
    )
    return rows[0].count === names.length
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42P01') return false
    throw error
  }
}

let names: readonly string[] | undefined

function migrationFiles(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

async function refuseOldServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int as number`)
  const major = Math.floor(rows[0].number / 10_000)
  if (major < 15) throw new Error(`PostgreSQL ${major} is too old: Recto needs 15 or newer`)
}

/** One question when there is nothing to do, which is the usual start. */
async function pending(client: pg.PoolClient, files: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query(`select to_regclass('schema_migration') is not null as known`)
  if (!rows[0].known) return files
  const done = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migration',
  )
  const checksums = new Map(done.rows.map((row) => [row.name, row.checksum]))
  for (const name of files) {
    const known = checksums.get(name)
    if (known !== undefined && known !== checksum(read(name))) {
      throw new Error(`The migration ${name} was changed after this database ran it: restore the file`)
    }
  }
  return files.filter((name) => !checksums.has(name))
}

async function runOnce(client: pg.PoolClient, name: string): Promise<boolean> {
  const text = read(name)
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock($1)', [LOCK])
  await client.query(`create table if not exists schema_migration (
    name text primary key, checksum text not null, applied_at timestamptz(3) not null default now())`)
  const { rowCount } = await client.query(
    'insert into schema_migration (name, checksum) values ($1, $2) on conflict do nothing',
    [name, checksum(text)],
  )
  if (rowCount === 1) await client.query(text)
  await client.query('commit')
  return rowCount === 1
}

function read(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8')
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
