import { type RawBuilder, sql } from 'kysely'
import { pageIcon } from '../../../access/page.ts'
import { isNoTemplate } from '../../../access/template-folder.ts'
import { type AccessSubject, isOutside, isPageVisible, isVisible } from '../../../access/visibility.ts'
import { type Db, queryRows } from '../../../platform/database/database.ts'
import type { PageKey } from '../../search/store.ts'
import { isOpenRow, type SearchedPages } from '../../search/store-templates.ts'
import { latestFirst, upTo } from '../store-lists.ts'

export interface TitleRow {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly icon: string | null
  /** The time of the last change, in seconds. */
  readonly updated: number
}

/** The maximum of pages with a word that are compared with a missing path. */
const ENOUGH = 200
/** The maximum of pages whose path has the prefix, of all spaces and of each. */
const BY_PATH = 200
const BY_PATH_IN_SPACE = 20

const titleColumns = sql`coalesce(space.slug, 'personal') as space, page.path, page.title, ${pageIcon} as icon,
  extract(epoch from page.updated_at)::float8 as updated`

/** Whether a row with a path is of the searched pages. */
function isListed({ hidden, templates }: SearchedPages, row: 'page' | 'address'): RawBuilder<boolean> {
  const isOpen = isOutside(hidden, `${row}.space_id`, `${row}.path`)
  return templates === 'out' ? sql<boolean>`${isOpen} and ${isNoTemplate(`${row}.path`)}` : isOpen
}

/** Some pages, and those whose path has the prefix: of each space the first ones, and of these the first of all. */
export async function listTitles(
  db: Db,
  spaces: SearchedPages,
  prefix: string,
  pages: readonly PageKey[],
): Promise<TitleRow[]> {
  // Sets, so that a page is not read twice.
  return queryRows<TitleRow>(db)`
    select ${titleColumns}
    from (
      select * from unnest(${pages.map(({ space_id }) => space_id)}::bigint[],
        ${pages.map(({ page_id }) => page_id)}::bigint[])
        as given (space_id, page_id)
      union select * from ${byPath(spaces, prefix)} as found
    ) as match
    join page on page.space_id = match.space_id and page.id = match.page_id and page.deleted_at is null
      and ${isListed(spaces, 'page')}
    join space on space.id = page.space_id`
}

/** The most recently changed pages of some spaces. */
export async function listLatestTitles(db: Db, spaces: SearchedPages, limit: number): Promise<TitleRow[]> {
  return queryRows<TitleRow>(db)`
    select ${titleColumns}
    from page join space on space.id = page.space_id
    where page.space_id = any(${spaces.spaceIds}::bigint[]) and page.deleted_at is null and ${isListed(spaces, 'page')}
    order by ${latestFirst} limit ${limit}`
}

/** The latest changed pages of each space. Plan: a range of page_recent_path_in_space for each, read backwards. */
export async function listLatestTitlesOfEach(db: Db, spaces: SearchedPages, limit: number): Promise<TitleRow[]> {
  return queryRows<TitleRow>(db)`
    select ${titleColumns}
    from unnest(${spaces.spaceIds}::bigint[]) as given (id)
    join space on space.id = given.id
    cross join lateral (
      select * from page where page.space_id = given.id and page.deleted_at is null and ${isListed(spaces, 'page')}
      order by page.updated_at desc, page.path desc limit ${limit}) page`
}

/** The expression of the index `page_address_words`. */
const pathWords = sql`to_tsvector('simple', translate(address.path, '/-_.', '    '))`

/** The first paths of each space with the prefix, and of these the first of all. */
function byPath(spaces: SearchedPages, prefix: string): RawBuilder<unknown> {
  return sql`(select address.space_id, address.page_id from unnest(${spaces.spaceIds}::bigint[])
    with ordinality as given (id, n)
    cross join lateral (
      select address.space_id, address.page_id, address.path from page_address address
      where address.space_id = given.id and address.page_id is not null
        and address.path >= ${prefix} and starts_with(address.path, ${prefix}) ${upTo(prefix)}
        and ${isListed(spaces, 'address')}
      order by address.path limit ${BY_PATH_IN_SPACE}
    ) address order by address.path, given.n limit ${BY_PATH})`
}

export interface AlikeRow {
  /** Which of the queries it matches, counted from 1. */
  readonly n: number
  readonly path: string
  readonly title: string
}

/** For each query, pages of a space with one of its words in title or path, as far as the caller can read. */
export async function listAlike(
  db: Db,
  subject: AccessSubject,
  spaceId: number,
  queries: readonly string[],
): Promise<AlikeRow[]> {
  return queryRows<AlikeRow>(db)`
    select wanted.n::int as n, page.path, page.title
    from unnest(${queries}::text[]) with ordinality as wanted (words, n)
    cross join lateral (
      (select match.page_id from page_search match where match.title @@ wanted.words::tsquery
        and match.space_id = ${spaceId}
        and ${isPageVisible(subject, 'match.space_id', 'match.page_id')} limit ${ENOUGH})
      union
      (select address.page_id from page_address address
        where address.page_id is not null and ${pathWords} @@ wanted.words::tsquery and address.space_id = ${spaceId}
        and ${isVisible(subject, 'address.space_id', 'address.path')} limit ${ENOUGH})
    ) match
    join page on page.space_id = ${spaceId}
      and page.id = match.page_id and page.deleted_at is null`
}

/** The least of a space where a maximum of pages is shared by spaces. */
const LEAST_IN_EACH = 5

/** A maximum of pages as one for each space: an equal share, but some at least. */
export function limitInEach(spaceIds: readonly number[], max: number): number {
  return Math.max(LEAST_IN_EACH, Math.ceil(max / Math.max(spaceIds.length, 1)))
}

/** A page whose names match a query. */
export interface NamedRow extends PageKey {
  /** The number of different words of its title, aliases and path. */
  readonly name_words: number
  /** Whether they have all words of the query as complete words. */
  readonly complete: boolean
}

/**
 * Of the newest pages of each space those whose names match: those with the complete words first, then those with the
 * fewest words. Plan: a range of the primary key of page_search for each space, read backwards, without the index of
 * words.
 */
export async function listNewestNamed(
  db: Db,
  query: SearchedPages & {
    readonly exact: string | undefined
    readonly begun: string | undefined
    /** The number of pages of each space. */
    readonly compared: number
    readonly limit: number
  },
): Promise<NamedRow[]> {
  const { exact, begun, compared, limit, ...spaces } = query
  return queryRows<NamedRow>(db)`
    select newest.space_id, newest.page_id, length(newest.title) as name_words,
      ${exact === undefined ? sql`false` : sql`newest.title @@ ${exact}::tsquery`} as complete
    from unnest(${spaces.spaceIds}::bigint[]) as searched (id) cross join lateral (
      select page_search.space_id, page_search.page_id, page_search.title from page_search
      where page_search.space_id = searched.id and ${isOpenRow(spaces)}
      order by page_search.page_id desc limit ${compared}
    ) newest
    where newest.title @@ ${begun}::tsquery
    order by complete desc, name_words, newest.page_id desc limit ${limit}`
}
