import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, isPageVisible, isReadable, visibleSpaces } from '../../access/visibility.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'

/** A page that refers to a file. */
export interface FileUserRow {
  /** The position of the file in the input, from 1. */
  readonly ord: number
  readonly page_id: number
  readonly space: string
  readonly path: string
  readonly title: string
}

/**
 * The references to the file address of the row `address` (`space_id`, `path`), as rows `space_id, page_id`: relative
 * ones of the space, and those by its slugs. A link that may refer to a page or a file does not count while there is a
 * page at the address, and every relative link to a missing page refers to the file at its address.
 */
export function referencesTo(address: string): RawBuilder<unknown> {
  const row = (column: string) => sql.ref(`${address}.${column}`)
  const isFile = sql`(link.surely_file or not link.maybe_page or not exists (select 1 from page_address page
    where page.space_id = ${row('space_id')} and page.path = ${row('path')} and page.page_id is not null))`
  return sql`(
    select link.space_id, link.page_id from file_link link
    where link.space_id = ${row('space_id')} and link.slug = '' and link.path = ${row('path')} and ${isFile}
    union all
    -- By the key of addresses, and the index of the links to one.
    select link.space_id, link.page_id from page_address missing
    join link on link.target_space_id = missing.space_id and coalesce(link.address_id, link.target_id) = missing.id
    where missing.space_id = ${row('space_id')} and missing.path = ${row('path')} and missing.page_id is null
      and missing.moved_page_id is null and link.space_id = missing.space_id and link.slug = ''
    union all
    select link.space_id, link.page_id from (
      select slug from space where id = ${row('space_id')} and slug is not null
      union all
      -- A slug that another space has now means that one.
      select former.slug from former_slug former where former.space_id = ${row('space_id')}
        and not exists (select 1 from space where space.slug = former.slug)
    ) named
    join file_link link on link.slug = named.slug and link.slug <> '' and link.path = ${row('path')}
    where ${isFile}
  )`
}

/** The addresses of the file `space_id`, `id` of a row: its own, and those that redirect to it and can be read. */
function selectAddresses(subject: AccessSubject, file: string): RawBuilder<unknown> {
  const row = (column: string) => sql.ref(`${file}.${column}`)
  return sql`(
    select ${row('space_id')}, ${row('path')} where ${row('deleted_at')} is null
    union all
    select moved.space_id, moved.path from file_address moved
    where moved.moved_space_id = ${row('space_id')} and moved.moved_file_id = ${row('id')} and moved.file_id is null
      and ${row('deleted_at')} is null and ${isReadable(subject, 'moved.space_id', 'moved.path')}
  )`
}

/** The first pages that refer to each of some files, by space and path; only those that the caller can read. */
export async function listFileUsers(
  db: Db,
  subject: AccessSubject,
  files: { readonly spaceId: number; readonly ids: readonly number[]; readonly limit: number },
): Promise<FileUserRow[]> {
  return queryRows<FileUserRow>(db)`
    select given.ord::int as ord, used.*
    from unnest(${files.ids}::bigint[]) with ordinality as given (id, ord)
    join file on file.space_id = ${files.spaceId} and file.id = given.id
    cross join lateral (
      select page.id as page_id, coalesce(space.slug, 'personal') as space, page.path, page.title
      from (
        select distinct link.space_id, link.page_id from ${selectAddresses(subject, 'file')} address
        cross join lateral ${referencesTo('address')} link
      ) link
      join page on page.space_id = link.space_id and page.id = link.page_id
      join space on space.id = page.space_id
      where ${isReadable(subject, 'page.space_id', 'page.path')}
      order by coalesce(space.slug, 'personal'), page.path limit ${files.limit}
    ) used
    order by given.ord, used.space, used.path`
}

/** The pages of a space that refer to files at some paths of it, whether or not there are files; only readable ones. */
export async function listAddressUsers(
  db: Db,
  subject: AccessSubject,
  { spaceId, paths, limit }: { readonly spaceId: number; readonly paths: readonly string[]; readonly limit: number },
): Promise<Omit<FileUserRow, 'ord'>[]> {
  return queryRows<Omit<FileUserRow, 'ord'>>(db)`
    select distinct page.id as page_id, coalesce(space.slug, 'personal') as space, page.path, page.title
    from (select ${spaceId}::bigint as space_id, unnest(${paths}::text[]) collate "C" as path) address
    cross join lateral ${referencesTo('address')} link
    join page on page.space_id = link.space_id and page.id = link.page_id join space on space.id = page.space_id
    where page.space_id = ${spaceId} and ${isReadable(subject, 'page.space_id', 'page.path')} limit ${limit}`
}

/** Whether no page that the caller can read refers to the file of a row. */
export function isUnused(subject: AccessSubject, file: string): RawBuilder<boolean> {
  return sql<boolean>`(
    -- Address by address, and only until the first: a join may read all references of the space.
    select link.page_id from ${selectAddresses(subject, file)} address cross
    join lateral ${referencesTo('address')} link
    where link.space_id in ${visibleSpaces(subject)} and ${isPageVisible(subject, 'link.space_id', 'link.page_id')}
      limit 1) is null`
}
