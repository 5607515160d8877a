import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, isReadableAt, memberJoin, rankAt, ruleJoin } from '../../access/visibility.ts'
import { read, write } from '../../platform/database/database.ts'
import type { LinkTarget } from './resolve.ts'

/** Where a file is now, and the attributes of its latest version. */
export interface FileFactsRow {
  readonly now_space: string
  readonly now_path: string
  readonly content_type: string
  readonly width: number | null
  readonly height: number | null
}

interface FileAtRow {
  readonly written_path: string
  /** Whether the caller can read the path. */
  readonly visible: boolean
  readonly file: FileFactsRow | null
}

/** A target at a path that the caller can read; the columns of the file are null if it is missing. */
type FileTargetRow = (FileFactsRow | { readonly [Column in keyof FileFactsRow]: null }) & {
  /** The position of the target in the input, from 1. */
  readonly ord: number
}

/** A file address as a page refers to it. */
export interface ReferenceRow extends Omit<LinkTarget, 'space'> {
  readonly ord: number
  readonly text: string
  readonly line: number
  /** Whether it refers to the page at the address, if there is one. */
  readonly maybe_page: boolean
  readonly surely_file: boolean
}

/** The file addresses that some pages refer to, in the order of their bodies. */
export const listReferences = read(
  'list_file_references',
  (a: { spaceId: number; pageIds: readonly number[] }) => sql<ReferenceRow & { readonly page_id: number }>`
    select page_id, slug, path, ord, text, line, maybe_page and not surely_file as maybe_page, surely_file
    from file_link
    where space_id = ${a.spaceId} and page_id = any(${a.pageIds}::bigint[]) order by ord, path`,
)

/** The file of the row `address`, where it is now; none if it is deleted, or moved to where the caller cannot read. */
function fileJoins(subject: AccessSubject): RawBuilder<unknown> {
  return sql`join file on file.space_id =
    case when address.file_id is null then address.moved_space_id else address.space_id end
      and file.id = coalesce(address.file_id, address.moved_file_id) and file.deleted_at is null
      and case when address.file_id is null then ${isReadableAt(subject, 'file.space_id', 'file.path')} else true end
    join space owner on owner.id = file.space_id
    join file_version version on version.space_id = file.space_id and version.file_id = file.id
      and version.version = file.version`
}

const fileColumns = sql`coalesce(owner.slug, 'personal') as now_space, file.path as now_path,
  version.content_type, version.width, version.height`

/** The files at some paths of a space that the caller can read; no row for a missing one. */
export const listFilesAt = read(
  'list_files_at',
  (a: AccessSubject & { spaceId: number; paths: readonly string[] }) => sql<FileAtRow>`
    select given.path as written_path, given.visible, found.file
    from (
      select given.path, ${rankAt(a)} >= 1 as visible
      from space ${memberJoin(a)} cross join unnest(${a.paths}::text[]) as given (path) ${ruleJoin(a, sql`given.path`)}
      where space.id = ${a.spaceId}
    ) given
    left join lateral (
      select (select to_jsonb(facts) from (select ${fileColumns}) facts) as file
      from file_address address ${fileJoins(a)}
      where address.space_id = ${a.spaceId} and address.path = given.path collate "C"
    ) found on given.visible
    where found.file is not null or not given.visible`,
)

/** The state of file addresses, as far as the caller may know it, each looked up by keys. */
export const listFileTargets = read(
  'list_file_targets',
  (a: AccessSubject & { spaceId: number; slugs: readonly string[]; paths: readonly string[] }) => sql<FileTargetRow>`
    select given.ord::int as ord, found.*
    from unnest(${a.slugs}::text[], ${a.paths}::text[]) with ordinality as given (slug, path, ord)
    join space on space.id = case when given.slug = '' then ${a.spaceId}::bigint else coalesce(
      (select id from space where slug = given.slug collate "C"),
      (select space_id from former_slug where slug = given.slug collate "C")) end
    ${memberJoin(a)} ${ruleJoin(a, sql`given.path`)}
    left join lateral (
      select ${fileColumns} from file_address address ${fileJoins(a)}
      where address.space_id = space.id and address.path = given.path collate "C"
    ) found on true
    where ${rankAt(a)} >= 1
    order by given.ord`,
)

/** Replaces the stored references of some pages of a space to files; writes only what differs. */
export const replaceFileLinks = write(
  'replace_file_links',
  (a: { spaceId: number; pages: string; files: string }) => sql<unknown>`
    with source as materialized (
      select page_id from jsonb_to_recordset(${a.pages}::jsonb) as t (page_id bigint)
    ), given as materialized (
      select * from jsonb_to_recordset(${a.files}::jsonb) as t (page_id bigint, slug text, path text, ord integer,
        line integer,
        text text, maybe_page boolean, surely_file boolean)
    ), gone as (
      -- By ranges of the key, and with a hash table of what is given: a join may read all references of the space.
      delete from file_link link
      where link.space_id = ${a.spaceId} and link.page_id = any(array(select page_id from source))
        and ((link.page_id, link.slug, link.path) in (select page_id, slug, path from given)) is not true
    )
    insert into file_link as link (space_id, page_id, slug, path, ord, line, text, maybe_page, surely_file)
    select ${a.spaceId}::bigint, page_id, slug, path, ord, line, text, maybe_page, surely_file from given
    on conflict (space_id, page_id, slug, path) do update
    set ord = excluded.ord, line = excluded.line, text = excluded.text,
      maybe_page = excluded.maybe_page, surely_file = excluded.surely_file
    where (link.ord, link.line, link.text, link.maybe_page, link.surely_file)
      is distinct from (excluded.ord, excluded.line, excluded.text, excluded.maybe_page, excluded.surely_file)`,
)
