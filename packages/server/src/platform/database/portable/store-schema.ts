import { type ClientBase, escapeIdentifier } from 'pg'
import type { Columns, Manifest } from './format.ts'

/** Tables that are of the moment, or of one server: nobody misses their rows elsewhere. */
const LEFT_OUT = [
  // Held by nodes that do not use the other database.
  'lease',
  // Tokens that tell the timelines of one server from those of another.
  'timeline',
]

const OF_SCHEMA = '(select oid from pg_namespace where nspname = current_schema())'

/** Settings of a copying transaction: text that does not depend on the server, and no time limits. */
export const COPY_SETTINGS = [
  `timezone = 'UTC'`,
  `datestyle = 'ISO, YMD'`,
  `intervalstyle = 'postgres'`,
  `bytea_output = 'hex'`,
  'extra_float_digits = 1',
  'statement_timeout = 0',
  'lock_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'tcp_user_timeout = 0',
]
  .map((setting) => `set local ${setting}`)
  .join('; ')

/** The tables that a backup has, with their columns. */
export async function readColumns(client: ClientBase): Promise<Columns> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select class.relname as name, array_agg(attribute.attname::text order by attribute.attnum) as columns
     from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid
       and attribute.attnum > 0 and not attribute.attisdropped and attribute.attgenerated = ''
     where class.relnamespace = ${OF_SCHEMA} and class.relkind = 'r' and class.relname <> all ($1)
     group by class.relname order by class.relname`,
    [LEFT_OUT],
  )
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]))
}

/** A table with its columns, for a COPY. */
export function copyTarget(table: string, columns: readonly string[]): string {
  return `${escapeIdentifier(table)} (${columns.map(escapeIdentifier).join(', ')})`
}

/** The last values of the sequences. They are not of the snapshot of the transaction, but later, which leaves a gap. */
export async function readSequences(client: ClientBase): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'S' and relnamespace = ${OF_SCHEMA} order by relname`,
  )
  if (rows.length === 0) return {}
  const selects = rows.map(
    ({ name }) =>
      `select ${client.escapeLiteral(name)} as name, last_value::text as last, is_called
        from ${escapeIdentifier(name)}`,
  )
  const values = await client.query<{ name: string; last: string; is_called: boolean }>(selects.join(' union all '))
  return Object.fromEntries(values.rows.map(({ name, last, is_called }) => [name, { last, isCalled: is_called }]))
}

/** A name in the database that is not of an extension; undefined if the database is empty. */
export async function findAnyRelation(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select class.oid::regclass::text as name from pg_class class
     join pg_namespace namespace on namespace.oid = class.relnamespace
     where namespace.nspname !~ '^pg_' and namespace.nspname <> 'information_schema'
       and not exists (select from pg_depend where objid = class.oid and classid = 'pg_class'::regclass
         and deptype = 'e')
     limit 1`,
  )
  return rows[0]?.name
}

/** Statements that take off what would slow down a load, or judge it too early, and those that put it on again. */
export interface Detachable {
  readonly detach: readonly string[]
  readonly indexes: readonly string[]
  readonly constraints: readonly string[]
}

/** Foreign keys, indexes without a constraint, and triggers. */
export async function readDetachable(client: ClientBase, tables: Columns): Promise<Detachable> {
  const constraints = await client.query<{ off: string; on: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as off,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as on
     from pg_constraint where contype = 'f' and connamespace = ${OF_SCHEMA} and conparentid = 0`,
  )
  const indexes = await client.query<{ off: string; on: string }>(
    `select format('drop index %s', indexrelid::regclass) as off, pg_get_indexdef(indexrelid) as on
     from pg_index index join pg_class class on class.oid = index.indexrelid
     where class.relnamespace = ${OF_SCHEMA}
       and not exists (select from pg_constraint where conindid = index.indexrelid and contype in ('p', 'u', 'x'))`,
  )
  const alterTriggers = (verb: string) =>
    Object.keys(tables).map((table) => `alter table ${escapeIdentifier(table)} ${verb} trigger user`)
  return {
    detach: [...constraints.rows, ...indexes.rows].map((row) => row.off).concat(alterTriggers('disable')),
    indexes: indexes.rows.map((row) => row.on),
    constraints: constraints.rows.map((row) => row.on).concat(alterTriggers('enable')),
  }
}
