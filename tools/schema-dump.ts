/**
 * Prints the schema that all migrations together make, as the catalog has it: `npm run -s schema`. A migration is
 * reviewed by the difference that it makes; test/upgrade/schema.test.ts compares new and migrated databases.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { createPool } from '../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../packages/server/src/platform/database/connections/server.ts'
import { startEmbedded } from '../packages/server/src/platform/database/embedded/server.ts'
import { migrate } from '../packages/server/src/platform/database/migrate.ts'

type Queryable = Pick<pg.Pool, 'query'>

/** The schema of a database as SQL text, read from the catalog; the same for equal schemas. */
export async function dumpSchema(db: Queryable): Promise<string> {
  const parts = await Promise.all([EXTENSIONS, TYPES, FUNCTIONS, TABLES, INDEXES, TRIGGERS].map(lines(db)))
  return `${parts.flat().join('\n\n')}\n`
}

const lines = (db: Queryable) => async (query: string) => {
  const { rows } = await db.query<{ line: string }>(query)
  return rows.map(({ line }) => line)
}

/** Objects of the schema `public` that no extension brought. */
const OURS = (oid: string, namespace: string) => `${namespace} = 'public'::regnamespace
  and not exists (select from pg_depend d where d.objid = ${oid} and d.deptype = 'e')`

const EXTENSIONS = `select 'create extension ' || quote_ident(extname) || ';' as line
  from pg_extension where extname <> 'plpgsql' order by extname`

const TYPES = `select 'create type ' || quote_ident(t.typname) || ' as enum ('
    || string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) || ');' as line
  from pg_type t join pg_enum e on e.enumtypid = t.oid
  where ${OURS('t.oid', 't.typnamespace')} group by t.oid, t.typname order by t.typname`

const FUNCTIONS = `select rtrim(pg_get_functiondef(p.oid), E'\\n') || ';' as line
  from pg_proc p where p.prokind in ('f', 'p') and ${OURS('p.oid', 'p.pronamespace')}
  order by p.proname, pg_get_function_identity_arguments(p.oid)`

const TABLES = `select 'create ' || case c.relpersistence when 'u' then 'unlogged ' else '' end
    || 'table ' || quote_ident(c.relname) || E' (\\n  ' || concat_ws(E',\\n  ', columns.text,
      constraints.text) || E'\\n)'
    || coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
    || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') || ';' as line
  from pg_class c
  cross join lateral (
    select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation else '' end
      || case when a.attnotnull then ' not null' else '' end
      || case when a.attidentity <> '' then ' generated ' ||
      case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity'
              when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
              when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end,
      E',\\n  ' order by a.attname) as text
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ) columns
  cross join lateral (
    select string_agg('constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid), E',\\n  '
      order by k.conname) as text
    from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'
  ) constraints
  where c.relkind in ('r', 'p') and ${OURS('c.oid', 'c.relnamespace')} order by c.relname`

const INDEXES = `select pg_get_indexdef(i.indexrelid) || ';' as line
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where ${OURS('c.oid', 'c.relnamespace')} and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  order by c.relname`

const TRIGGERS = `select pg_get_triggerdef(t.oid) || ';' as line
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and ${OURS('c.oid', 'c.relnamespace')} order by c.relname, t.tgname`

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recto-schema-'))
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  try {
    await using server = await startEmbedded({ dataDir: folder, maxConnections: 8, log })
    const pool = createPool({
      server: new DatabaseServer(server.connection),
      size: 6,
      prepared: false,
      onError: () => {},
    })
    await migrate(pool)
    process.stdout.write(await dumpSchema(pool))
    await pool.end()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
