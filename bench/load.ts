import type pg from 'pg'

/** Indexes that answer for a key stay: without them rows could not be told apart. */
const DROPPED = `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = any ($1::regclass[]) and not i.indisunique`
const FOREIGN = `select conrelid::regclass::text as of, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and conrelid = any ($1::regclass[])`

/**
 * Runs a load of some tables while they have neither foreign keys nor indexes but those of their keys, then makes these
 * anew and brings the statistics up to date.
 */
export async function loadFast(client: pg.Client, tables: readonly string[], load: () => Promise<void>): Promise<void> {
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '128MB'`)
  const keys = await client.query<{ of: string; name: string; definition: string }>(FOREIGN, [tables])
  const indexes = await client.query<{ name: string; definition: string }>(DROPPED, [tables])
  // An analysis by autovacuum, which begins while rows are loaded, would keep the last ones from being marked as
  // visible to all.
  for (const table of tables) await client.query(`alter table ${table} set (autovacuum_enabled = false)`)
  for (const { of, name } of keys.rows) await client.query(`alter table ${of} drop constraint ${name}`)
  for (const { name } of indexes.rows) await client.query(`drop index ${name}`)
  await load()
  for (const { definition } of indexes.rows) await client.query(definition)
  for (const { of, name, definition } of keys.rows)
    await client.query(`alter table ${of} add constraint ${name} ${definition}`)
  await client.query(`vacuum analyze ${tables.join(', ')}, space`)
  for (const table of tables) await client.query(`alter table ${table} reset (autovacuum_enabled)`)
}
