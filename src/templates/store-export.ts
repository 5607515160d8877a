import { sql } from 'kysely'
import type { PrincipalKind } from '../access/caller.ts'
import type { Db } from '../database/database.ts'

export interface ExportRow {
  readonly id: number
  readonly path: string
  readonly version: number
  readonly updated_at: Date
  /** The latest body, packed whole. */
  readonly data: Buffer
  /** The metadata as JSON, or null where there is none. */
  readonly metadata: string | null
}

/** Pages of a space from behind a path on, in the order of their paths. */
export async function listExportPages(
  db: Db,
  at: { readonly spaceId: number; readonly after: string; readonly limit: number },
): Promise<ExportRow[]> {
  const { rows } = await sql<ExportRow>`
    select p.id, p.path, p.version, p.updated_at, coalesce(p.body, r.data) as data, nullif(m.doc, '{}')::text as metadata
    from page_address a
    join page p on p.space_id = a.space_id and p.id = a.page_id
    join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version
    left join page_metadata m on m.space_id = p.space_id and m.page_id = p.id
    where a.space_id = ${at.spaceId} and a.page_id is not null and a.path > ${at.after} collate "C"
    order by a.path limit ${at.limit}`.execute(db)
  return rows
}

export interface ExportRevisionRow {
  readonly page_id: number
  readonly version: number
  readonly note: string | null
  readonly base: number | null
  readonly data: Buffer
  readonly restored_from: number | null
  readonly created_at: Date
  readonly author_name: string
  readonly author_kind: PrincipalKind
}

/** The place of a revision: the number of its page in the list of pages, and its version. */
export interface RevisionPlace {
  readonly page: number
  readonly version: number
}

/**
 * Revisions of some pages, in the order of the pages and then of their versions, up to the version that each page had
 * when it was listed.
 */
export async function listExportRevisions(
  db: Db,
  at: {
    readonly spaceId: number
    readonly pages: readonly ExportRow[]
    readonly after: RevisionPlace
    readonly limit: number
  },
): Promise<ExportRevisionRow[]> {
  const { rows } = await sql<ExportRevisionRow>`
    select r.page_id, r.version, r.note, r.base, r.data, r.restored_from, r.created_at,
      coalesce(i.name, u.name) as author_name, u.kind as author_kind
    from unnest(${at.pages.map(({ id }) => id)}::bigint[], ${at.pages.map(({ version }) => version)}::int[])
      with ordinality as t (id, latest, n)
    join revision r on r.space_id = ${at.spaceId} and r.page_id = t.id and r.version <= t.latest
    join principal u on u.id = r.created_by
    left join imported_author i on i.principal_id = u.id
    where (t.n, r.version) > (${at.after.page}::bigint, ${at.after.version}::int)
    order by t.n, r.version limit ${at.limit}`.execute(db)
  return rows
}
