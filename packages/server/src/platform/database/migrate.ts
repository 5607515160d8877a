import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartError } from './embedded/start-error.ts'
import { REFRESH_STATISTICS } from './statistics.ts'

const FOLDER = join(import.meta.dirname, 'migrations')
/** The schema that migrations begin with. It replaced all of them up to this one, which leaves the same schema. */
const BASE = '0136_schema.sql'
const LAST_REPLACED = '0136_dates_as_written.sql'
/** A commit that migrates older databases to the base. */
const BASE_COMMIT = '4a549370'
/** A file in it replaces the migration of the same name for a database in use: the same result without a long lock. */
const ONLINE = 'online'
/** Any number, the same for every node that migrates one database. */
const LOCK = 7_202_611
/** The first line of a migration that runs outside a transaction, as `create index concurrently` requires. */
const OUTSIDE = /^-- Outside a transaction\b/
/** How long a change of a table waits for its lock: everybody else would queue after it. */
const DDL_LOCK_MS = 500
const DDL_TRIES = 120
const RETRY_MS = 500
const CREATE_NOTES = `create table if not exists schema_migration (
  name text primary key, checksum text not null, applied_at timestamptz(3) not null default now())`

/** Opens the connections of `migrate`: the main thread may be busy for longer than connecting may take. */
export async function connectForMigration(pool: pg.Pool): Promise<void> {
  for (const client of await Promise.all([pool.connect(), pool.connect()])) client.release()
}

/**
 * Migrates the database to the newest schema. Several nodes may do so concurrently: each file runs under one lock,
 * and exactly once, in a transaction of its own if possible. Returns the names of the files that this call ran.
 * `folder` has the files, which a test may extend.
 */
export async function migrate(pool: pg.Pool, folder = FOLDER): Promise<string[]> {
  // One connection holds the lock while another one runs what no transaction may contain.
  if (pool.options.max < 2) throw new RangeError('migrate needs a pool of two connections or more')
  const files = migrationFiles(folder)
  const ran: string[] = []
  const client = await pool.connect()
  try {
    // Those of requests do not fit. The client is not returned to the pool with these.
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    await rejectOldServer(client)
    const leftNames = await pending(client, files, folder)
    const inUse = leftNames.length < files.length
    for (const migrations of transactions(leftNames, inUse, folder)) {
      for (const name of await runOnce(pool, client, migrations)) ran.push(name)
    }
    // Tables and indexes of the migration have no statistics yet. A new database has nothing to count.
    if (ran.length > 0 && inUse) await client.query(REFRESH_STATISTICS)
    if (inUse) await client.query('select settle_transaction_ids()')
  } finally {
    client.release(true)
  }
  return ran
}

/** Whether the database has every migration of this release; newer ones are compatible by rule. */
export async function hasSchema(client: pg.ClientBase): Promise<boolean> {
  try {
    const appliedNames = await readApplied(client)
    return newestNames().every((name) => appliedNames.has(name))
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42P01') return false
    throw error
  }
}

let names: readonly string[] | undefined

function newestNames(): readonly string[] {
  names ??= migrationFiles()
  return names
}

/** The number of the newest migration of this release, such as `0136`. */
export function newestMigration(): string {
  return newestNames().at(-1)?.slice(0, 4) ?? ''
}

export function migrationFiles(folder = FOLDER): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

/** Statements that make the schema of these migrations in an empty database, within a transaction; they note none. */
export function schemaScript(applied: readonly string[], folder = FOLDER): string {
  const names = new Set(applied)
  if (names.has(LAST_REPLACED)) names.add(BASE)
  const files = migrationFiles(folder)
  const newer = applied.findLast((name) => name > BASE && !files.includes(name))
  if (newer !== undefined || !names.has(BASE)) {
    const release = newer === undefined ? 'one that is too old for this one to read' : `a newer one, with ${newer}`
    throw new StartError(`The backup is of another release, ${release}: restore it with the release that made it.`)
  }
  const texts = files.filter((name) => names.has(name)).map((name) => offlineText(read(folder, name)))
  return [CREATE_NOTES, ...texts].join(';\n')
}

async function rejectOldServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int as number`)
  const major = Math.floor(rows[0].number / 10_000)
  if (major < 15) throw new StartError(`PostgreSQL ${major} is too old: Recto needs 15 or newer`)
}

/** One query if there is nothing to do, which is the usual start. */
async function pending(client: pg.PoolClient, files: readonly string[], folder: string): Promise<readonly string[]> {
  const { rows } = await client.query(`select to_regclass('schema_migration') is not null as known`)
  if (!rows[0].known) return files
  const appliedNames = await readApplied(client)
  rejectOtherSchema([...appliedNames.keys()].sort(), files)
  for (const name of files) {
    const knownChecksum = appliedNames.get(name)
    if (knownChecksum !== undefined && knownChecksum !== checksum(read(folder, name))) {
      throw new Error(`The migration ${name} was changed after this database ran it: restore the file`)
    }
  }
  return files.filter((name) => !appliedNames.has(name))
}

/** The migrations of a database, with their checksums; the base without one where it has the replaced ones. */
async function readApplied(client: pg.ClientBase): Promise<ReadonlyMap<string, string | undefined>> {
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from schema_migration')
  const appliedNames = new Map<string, string | undefined>(rows.map((row) => [row.name, row.checksum]))
  if (appliedNames.has(LAST_REPLACED)) appliedNames.set(BASE, undefined)
  return appliedNames
}

/** Rejects a database of a newer release, and one that lacks a replaced migration. Names are sorted. */
function rejectOtherSchema(applied: readonly string[], files: readonly string[]): void {
  const newer = applied.findLast((name) => name > BASE && !files.includes(name))
  if (newer !== undefined) {
    throw new StartError(
      `The database was brought to ${newer} by a newer release than this one, which knows ${files.at(-1)}. ` +
        'Start that release or a newer one, or restore a backup from before the upgrade.',
    )
  }
  const older = applied.findLast((name) => name < BASE)
  if (older !== undefined && !applied.includes(BASE)) {
    throw new StartError(
      `The database was brought to ${older} by a release that is too old for this one to migrate. ` +
        `Start the commit ${BASE_COMMIT} with it once, then this release.`,
    )
  }
}

interface Migration {
  readonly name: string
  readonly text: string
  /** Of the file of this name, whatever replaces its text. */
  readonly checksum: string
}

/** The migrations of each transaction: all of them for a new database; otherwise one, since they wait for locks. */
function transactions(names: readonly string[], inUse: boolean, folder: string): Migration[][] {
  const migrations = names.map((name) => {
    const text = read(folder, name)
    return { name, text: inUse ? onlineText(folder, name, text) : offlineText(text), checksum: checksum(text) }
  })
  return inUse ? migrations.map((migration) => [migration]) : [migrations]
}

function offlineText(text: string): string {
  return text.replaceAll(' concurrently', '')
}

function onlineText(folder: string, name: string, text: string): string {
  const online = join(folder, ONLINE, name)
  return existsSync(online) ? readFileSync(online, 'utf8') : text
}

function isOutside([first]: readonly Migration[]): boolean {
  return first !== undefined && OUTSIDE.test(first.text)
}

/** Waits if another node runs them. Returns the names of those that did not run before. */
async function runOnce(pool: pg.Pool, client: pg.PoolClient, migrations: readonly Migration[]): Promise<string[]> {
  const run = isOutside(migrations) ? runOutside : runInside
  for (let attempt = 1; ; attempt++) {
    try {
      return await run({ pool, client, migrations })
    } catch (error) {
      await client.query('rollback').catch(() => {}) // lost with its connection
      const isLocked = error instanceof pg.DatabaseError && error.code === '55P03'
      if (!isLocked || attempt === DDL_TRIES) throw error
      await sleep(RETRY_MS)
    }
  }
}

interface Run {
  readonly pool: pg.Pool
  readonly client: pg.PoolClient
  readonly migrations: readonly Migration[]
}

async function runInside({ client, migrations }: Run): Promise<string[]> {
  await beginLocked(client)
  await client.query(`set local lock_timeout = ${DDL_LOCK_MS}`)
  const leftMigrations = await notNoted(client, migrations)
  // One query for all saves more than a hundred round trips of a new database.
  await client.query(
    [...leftMigrations.flatMap((migration) => [migration.text, noting(migration)]), 'commit'].join(';\n'),
  )
  return leftMigrations.map(({ name }) => name)
}

/** Statement by statement, while another connection holds the lock. Each is idempotent: they may run again. */
async function runOutside({ pool, client, migrations }: Run): Promise<string[]> {
  const holder = await pool.connect()
  try {
    await beginLocked(holder)
    await holder.query('set local idle_in_transaction_session_timeout = 0')
    const leftMigrations = await notNoted(client, migrations)
    for (const migration of leftMigrations) {
      for (const statement of splitStatements(migration.text)) await client.query(statement)
      await client.query(noting(migration))
    }
    return leftMigrations.map(({ name }) => name)
  } finally {
    holder.release(true)
  }
}

/**
 * Begins a transaction that has the lock. Polled, in a transaction for each attempt: `create index concurrently` of the
 * node that has the lock waits for the end of every transaction that it finds with a snapshot. Without bind parameters
 * as well: their portal, and with it the snapshot, stays open until the next statement.
 */
export async function beginLocked(client: pg.ClientBase): Promise<void> {
  for (;;) {
    await client.query('begin')
    const { rows } = await client.query(`select pg_try_advisory_xact_lock(${LOCK}) as locked`)
    if (rows[0].locked) return
    await client.query('rollback')
    await sleep(50)
  }
}

async function notNoted(client: pg.PoolClient, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  await client.query(CREATE_NOTES)
  const appliedNames = await readApplied(client)
  return migrations.filter(({ name }) => !appliedNames.has(name))
}

function noting({ name, checksum }: Migration): string {
  return `insert into schema_migration (name, checksum)
    values (${pg.escapeLiteral(name)}, ${pg.escapeLiteral(checksum)})`
}

/** Each ends with a semicolon at the end of a line. */
function splitStatements(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join('\n')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
