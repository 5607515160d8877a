import { Client } from 'pg'
import type { Folder } from './folder.ts'
import { SUPERUSER } from './initialise.ts'
import { startForReading } from './server.ts'
import { StartError } from './start-error.ts'

export interface Verified {
  readonly tables: number
  readonly indexes: number
  readonly pages: number
}

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * Starts the server of a data folder, which recovers first, and checks every table and B-tree index with amcheck:
 * pages against their checksums, rows for corruption, indexes against their tables. Then stops it.
 */
export async function verifyCluster(folder: Folder, programs?: readonly string[]): Promise<Verified> {
  await using server = await startForReading({ dataDir: folder.root, maxConnections: 2, programs, log: silent })
  const client = new Client({
    ...server.connection,
    user: SUPERUSER,
    ssl: false,
    application_name: 'recto restore',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    // Rolled back: the extension is only for the check.
    await client.query('begin; create schema amcheck_once; create extension amcheck schema amcheck_once')
    const damagedIndexes = await client.query(`
      select class.relname, damage.msg from pg_class class join pg_namespace namespace on namespace.oid = class.relnamespace,
        lateral amcheck_once.verify_heapam(class.oid, check_toast => true) damage
      where namespace.nspname = 'public' and class.relkind = 'r' limit 5`)
    const [first] = damagedIndexes.rows
    if (first) throw new StartError(`The restored table ${first.relname} is damaged: ${first.msg}`)
    const tables = await client.query(`
      select 1 from pg_class class join pg_namespace namespace on namespace.oid = class.relnamespace
      where namespace.nspname = 'public' and class.relkind = 'r'`)
    const indexes = await client.query(`
      select amcheck_once.bt_index_check(class.oid, heapallindexed => index.indisvalid) from pg_class class
      join pg_index index on index.indexrelid = class.oid join pg_am method on method.oid = class.relam join pg_namespace namespace on namespace.oid = class.relnamespace
      where namespace.nspname = 'public' and method.amname = 'btree'`)
    const tableNames = await client.query(`select to_regclass('public.page') is not null as known`)
    const pages = tableNames.rows[0].known
      ? (await client.query('select count(*)::int as count from page')).rows[0].count
      : 0
    await client.query('rollback')
    return { tables: tables.rowCount ?? 0, indexes: indexes.rowCount ?? 0, pages }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The restored database does not pass its check: ${(error as Error).message}`)
  } finally {
    await client.end().catch(() => {})
  }
}
