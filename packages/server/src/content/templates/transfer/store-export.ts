import { sql } from 'kysely'
import type { PrincipalKind } from '../../../access/caller.ts'
import { viaName } from '../../../access/via.ts'
import { type AccessSubject, isVisible } from '../../../access/visibility.ts'
import type { Db } from '../../../platform/database/database.ts'

export interface ExportRow {
  readonly id: number
  readonly path: string
  readonly version: number
  readonly updated_at: Date
  /** The latest body, compressed. */
  readonly data: Buffer
  /** The metadata as JSON; null if empty. */
  readonly metadata: string | null
}

/** Pages of a space that the caller can read after a path, by path. Plan: a range of the primary key of page_address. */
export async function listExportPages(
  db: Db,
  subject: AccessSubject,
  at: { readonly spaceId: number; readonly after: string; readonly limit: number },
): Promise<ExportRow[]> {
  const { rows } = await sql<ExportRow>`
    select page.id, page.path, page.version, page.updated_at, coalesce(page.body, revision.data) as data,
      nullif(metadata.doc, '{}')::text as metadata
    from page_address as address
    join page on page.space_id = address.space_id and page.id = address.page_id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id and revision.version = page.version
    left join page_metadata as metadata on metadata.space_id = page.space_id and metadata.page_id = page.id
    where address.space_id = ${at.spaceId} and address.page_id is not null and address.path > ${at.after} collate "C"
      and ${isVisible(subject, 'address.space_id', 'address.path')}
    order by address.path limit ${at.limit}`.execute(db)
  return rows
}

/** The number of pages and files of a space that the caller can read. */
export async function countExported(db: Db, subject: AccessSubject, spaceId: number): Promise<number> {
  const visible = isVisible(subject, 'address.space_id', 'address.path')
  const { rows } = await sql<{ total: number }>`
    select (select count(*) from page_address address where space_id = ${spaceId} and page_id is not null and ${visible})
      + (select count(*) from file_address address where space_id = ${spaceId} and file_id is not null and ${visible})
        as total`.execute(db)
  return Number(rows[0]?.total ?? 0)
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
  /** The connected app by which it was written. */
  readonly via: string | null
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
    select revision.page_id, revision.version, revision.note, revision.base, revision.data, revision.restored_from,
      revision.created_at, coalesce(imported.name, author.name) as author_name, author.kind as author_kind,
      ${viaName('revision.via')} as via
    from unnest(${at.pages.map(({ id }) => id)}::bigint[], ${at.pages.map(({ version }) => version)}::int[])
      with ordinality as page (id, latest, number)
    join revision on revision.space_id = ${at.spaceId} and revision.page_id = page.id and revision.version <= page.latest
    join principal as author on author.id = revision.created_by
    left join imported_author as imported on imported.principal_id = author.id
    where (page.number, revision.version) > (${at.after.page}::bigint, ${at.after.version}::int)
    order by page.number, revision.version limit ${at.limit}`.execute(db)
  return rows
}
