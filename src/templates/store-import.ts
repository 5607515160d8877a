import { sql } from 'kysely'
import type { PrincipalKind } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { Tx } from '../database/transaction.ts'
import { uuid7 } from '../lib/uuid7.ts'

export interface ExistingRow {
  readonly path: string
  readonly revision_id: string
  /** The latest body, packed whole. */
  readonly data: Buffer
  /** The metadata as JSON. */
  readonly metadata: string
}

/** The pages that stand at some paths of a space; without their content where only that is asked. */
export async function findExisting(
  db: Db,
  at: { readonly spaceId: number; readonly paths: readonly string[]; readonly content: boolean },
): Promise<ExistingRow[]> {
  const { rows } = await sql<ExistingRow>`
    select p.path, p.revision_id,
      case when ${at.content}::boolean then coalesce(p.body, r.data) else ''::bytea end as data,
      case when ${at.content}::boolean then coalesce(m.doc, '{}')::text else '{}' end as metadata
    from page_address a
    join page p on p.space_id = a.space_id and p.id = a.page_id
    left join revision r on ${at.content}::boolean and r.space_id = p.space_id and r.page_id = p.id and r.version = p.version
    left join page_metadata m on ${at.content}::boolean and m.space_id = p.space_id and m.page_id = p.id
    where a.space_id = ${at.spaceId} and a.path = any(${at.paths}::text[])`.execute(db)
  return rows
}

export interface Author {
  readonly name: string
  readonly kind: PrincipalKind
}

/** The principals that stand for authors of imported revisions, made where there are none yet, by name and kind. */
export async function importedAuthors(
  tx: Pick<Tx, 'db'>,
  authors: readonly Author[],
  now: Date,
): Promise<(Author & { readonly id: string })[]> {
  const names = authors.map(({ name }) => name)
  const kinds = authors.map(({ kind }) => kind)
  const find = async () => {
    const { rows } = await sql<Author & { id: string }>`
      select i.name, i.kind, i.principal_id as id from imported_author i
      join unnest(${names}::text[], ${kinds}::text[]) as t (name, kind) on t.name = i.name and t.kind = i.kind`.execute(
      tx.db,
    )
    return rows
  }
  const known = await find()
  if (known.length === authors.length) return known
  await sql`lock table imported_author in share row exclusive mode`.execute(tx.db)
  await sql`
    with missing as materialized (
      select t.* from unnest(${names}::text[], ${kinds}::text[], ${authors.map(() => uuid7())}::uuid[]) as t (name, kind, id)
      where not exists (select 1 from imported_author i where i.name = t.name and i.kind = t.kind)
    ), made as (
      insert into principal (id, name, kind, role, disabled_at, created_at)
      select id, name || ' (imported)', kind, 'member', ${now}, ${now} from missing
    )
    insert into imported_author (name, kind, principal_id) select name, kind, id from missing`.execute(tx.db)
  return find()
}
