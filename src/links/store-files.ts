import { sql } from 'kysely'
import { type AccessSubject, memberJoin, rankIn, visibleSpaces } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import { read } from '../database/statement.ts'
import type { LinkTarget } from './resolve.ts'

/** A target in a space that the caller can read; the columns of the file are null if it is missing. */
export interface FileTargetRow {
  /** The position of the target in the input, from 1. */
  readonly ord: number
  readonly now_space: string | null
  readonly now_path: string | null
  readonly content_type: string | null
  readonly width: number | null
  readonly height: number | null
}

/** A file address as a page refers to it. */
export interface ReferenceRow extends Omit<LinkTarget, 'space'> {
  readonly text: string
  readonly line: number
  /** Whether it refers to the page at the address, if there is one. */
  readonly maybe_page: boolean
}

/** The file addresses that a page refers to, in the order of its body. */
export const listReferences = read(
  'list_file_references',
  (a: { spaceId: number; pageId: number }) => sql<ReferenceRow>`
    select slug, path, text, line, not surely_file as maybe_page from file_link
    where space_id = ${a.spaceId} and page_id = ${a.pageId} order by ord, path`,
)

/**
 * The state of file addresses, as a page of the space `spaceId` writes them, as far as the caller may know it. One
 * statement; each row is looked up by keys. A file that moved to a space that the caller cannot read counts as missing.
 */
export async function listFileTargets(
  db: Db,
  subject: AccessSubject,
  spaceId: number,
  targets: readonly LinkTarget[],
): Promise<FileTargetRow[]> {
  const { rows } = await sql<FileTargetRow>`
    select given.ord::int as ord, found.*
    from unnest(${targets.map(({ slug }) => slug)}::text[], ${targets.map(({ path }) => path)}::text[])
      with ordinality as given (slug, path, ord)
    join space on space.id = case when given.slug = '' then ${spaceId}::bigint else coalesce(
      (select id from space where slug = given.slug collate "C"),
      (select space_id from former_slug where slug = given.slug collate "C")) end
    ${memberJoin(subject)}
    left join lateral (
      select coalesce(owner.slug, 'personal') as now_space, file.path as now_path,
        version.content_type, version.width, version.height
      from file_address address
      join file on file.space_id = case when address.file_id is null then address.moved_space_id else address.space_id end
        and file.id = coalesce(address.file_id, address.moved_file_id)
      join space owner on owner.id = file.space_id
      join file_version version on version.space_id = file.space_id and version.file_id = file.id and version.version = file.version
      where address.space_id = space.id and address.path = given.path collate "C" and file.deleted_at is null
        and (file.space_id = space.id or file.space_id in ${visibleSpaces(subject)})
    ) found on true
    where ${rankIn(subject)} >= 1
    order by given.ord`.execute(db)
  return rows
}
