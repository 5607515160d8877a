import { type RawBuilder, sql } from 'kysely'
import { pageIcon } from '../../access/page-icon.ts'
import type { Db } from '../../database/database.ts'
import type { PageKey } from '../../search/store.ts'
import { latestFirst, upTo } from '../store-lists.ts'
import type { TitleQuery } from './title-query.ts'

export interface TitleRow {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly icon: string | null
  readonly updated_at: Date
}

/** The maximum of matches of each kind that are ranked. */
const ENOUGH = 200
const ENOUGH_IN_SPACE = 20
/** The least of a space where a maximum of pages is shared by spaces. */
const LEAST_IN_EACH = 5
/**
 * The maximum of path matches that are sorted; where there are more, so many pages are scanned in the order of paths.
 */
const SORTED = 5_000
const LOOKED_THROUGH = 10_000

/** Where the words of the query were found. */
type Place = 'exact' | 'begun' | 'inPath' | 'prefix'

export interface TitleMatches {
  readonly rows: readonly TitleRow[]
  /** Only some matches of these kinds were read, in no order. */
  readonly truncated: ReadonlySet<Place>
}

/**
 * Pages of some spaces whose title or path may match the query, in no order: with the exact words, with words of
 * which they are prefixes, and with a path or words of a path of which they are prefixes. Never prepared: the plan
 * depends on the words.
 */
export async function listTitles(
  db: Db,
  spaceIds: readonly number[],
  query: TitleQuery,
): Promise<TitleMatches> {
  const parts = [
    ...(query.exact === undefined ? [] : [part('exact', byTitle(spaceIds, query.exact))]),
    ...(query.begun === undefined ? [] : [part('begun', byTitle(spaceIds, query.begun))]),
    ...(query.inPath === undefined ? [] : [part('inPath', byPathWords(spaceIds, query.inPath, ENOUGH + 1))]),
    part('prefix', byPath(spaceIds, query.prefix)),
  ]
  const { rows } = await sql<TitleRow & { readonly place: Place }>`
    select ${titleColumns}, match.place
    from (${sql.join(parts, sql` union all `)}) as match
    join page on page.space_id = match.space_id and page.id = match.page_id and page.deleted_at is null
    join space on space.id = page.space_id`.execute(db)
  const places = Object.entries(Object.groupBy(rows, ({ place }) => place))
  const truncated = places.filter(([, found]) => found.length > ENOUGH).map(([place]) => place as Place) // keys of the group
  return {
    rows: rows.filter(({ place }) => !truncated.includes(place)),
    truncated: new Set(truncated),
  }
}

const titleColumns = sql`coalesce(space.slug, 'personal') as space, page.path, page.title, ${pageIcon} as icon, page.updated_at`

function part(place: Place, matches: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${place}::text as place, space_id, page_id from ${matches} as found`
}

/** The pages with the shortest titles: the fewer other words a title has, the better it matches. */
export async function listShortestTitles(db: Db, pages: readonly PageKey[]): Promise<TitleRow[]> {
  const { rows } = await sql<TitleRow>`
    select ${titleColumns}
    from unnest(${pages.map(({ space_id }) => space_id)}::bigint[], ${pages.map(({ page_id }) => page_id)}::bigint[])
      as given (space_id, page_id)
    join page on page.space_id = given.space_id and page.id = given.page_id and page.deleted_at is null
    join space on space.id = page.space_id
    order by length(page.title), ${latestFirst} limit ${ENOUGH}`.execute(db)
  return rows
}

/**
 * Pages whose path has some words, by path: up to 5,000 matches are sorted (bitmap scan of page_address_words). Where
 * there are more, the first 10,000 pages of the spaces are scanned in the order of page_address_taken.
 */
export async function listPathMatches(
  db: Db,
  spaceIds: readonly number[],
  words: string,
): Promise<TitleRow[]> {
  const inEach = Math.ceil(LOOKED_THROUGH / spaceIds.length)
  const { rows } = await sql<TitleRow>`
    with few as materialized (select * from ${byPathWords(spaceIds, words, SORTED + 1)} as found),
    firsts as (
      select match.* from unnest(${spaceIds}::bigint[]) as given (id) cross join lateral (
        select * from (
          select address.space_id, address.page_id, address.path from page_address address
          where address.space_id = given.id and address.page_id is not null order by address.path limit ${inEach}
        ) address where ${pathWords} @@ ${words}::tsquery limit ${ENOUGH}
      ) match where (select count(*) from few) > ${SORTED}
    )
    select ${titleColumns}
    from (
      select few.* from few where (select count(*) from few) <= ${SORTED}
      union all select * from firsts
    ) match
    join space on space.id = match.space_id
    join page on page.space_id = match.space_id and page.id = match.page_id and page.deleted_at is null
    order by match.path, coalesce(space.slug, 'personal') limit ${ENOUGH}`.execute(db)
  return rows
}

/** A maximum of pages as one for each space: an equal share, but some at least. */
export function limitInEach(spaceIds: readonly number[], max: number): number {
  return Math.max(LEAST_IN_EACH, Math.ceil(max / Math.max(spaceIds.length, 1)))
}

/** The most recently changed pages of some spaces. */
export async function listLatestTitles(
  db: Db,
  spaceIds: readonly number[],
  limit: number,
): Promise<TitleRow[]> {
  const { rows } = await sql<TitleRow>`
    select ${titleColumns}
    from page join space on space.id = page.space_id
    where page.space_id = any(${spaceIds}::bigint[]) and page.deleted_at is null
    order by ${latestFirst} limit ${limit}`.execute(db)
  return rows
}

/** The most recently changed pages of each space. Plan: a range of page_recent_path_in_space for each, read backwards. */
export async function listLatestTitlesOfEach(
  db: Db,
  spaceIds: readonly number[],
  limit: number,
): Promise<TitleRow[]> {
  const { rows } = await sql<TitleRow>`
    select ${titleColumns}
    from unnest(${spaceIds}::bigint[]) as given (id)
    join space on space.id = given.id
    cross join lateral (
      select * from page where page.space_id = given.id and page.deleted_at is null
      order by page.updated_at desc, page.path desc limit ${limit}) page`.execute(db)
  return rows
}

// `offset 0` keeps the outer limit from turning the planner to a scan that ends early only where matches are many.
function byTitle(spaceIds: readonly number[], query: string): RawBuilder<unknown> {
  return sql`(select * from (
    select indexed.space_id, indexed.page_id from page_search indexed
    where indexed.title @@ ${query}::tsquery and indexed.space_id = any(${spaceIds}::bigint[]) offset 0) found limit ${ENOUGH + 1})`
}

function byPathWords(spaceIds: readonly number[], query: string, limit: number): RawBuilder<unknown> {
  return sql`(select * from (
    select address.space_id, address.page_id, address.path from page_address address
    where address.page_id is not null and ${pathWords} @@ ${query}::tsquery and address.space_id = any(${spaceIds}::bigint[]) offset 0) found limit ${limit})`
}

/** The expression of the index `page_address_words`. */
const pathWords = sql`to_tsvector('simple', translate(address.path, '/-_.', '    '))`

/** The first paths of each space with the prefix, and of these the first of all. */
function byPath(spaceIds: readonly number[], prefix: string): RawBuilder<unknown> {
  return sql`(select address.space_id, address.page_id from unnest(${spaceIds}::bigint[]) with ordinality as given (id, n)
    cross join lateral (
      select address.space_id, address.page_id, address.path from page_address address
      where address.space_id = given.id and address.page_id is not null
        and address.path >= ${prefix} and starts_with(address.path, ${prefix}) ${upTo(prefix)}
      order by address.path limit ${ENOUGH_IN_SPACE}
    ) address order by address.path, given.n limit ${ENOUGH})`
}

export interface AlikeRow {
  /** Which of the queries it matches, counted from 1. */
  readonly n: number
  readonly path: string
  readonly title: string
}

/** For each query, pages of a space that have one of its words in their title or path. */
export async function listAlike(db: Db, spaceId: number, queries: readonly string[]): Promise<AlikeRow[]> {
  const { rows } = await sql<AlikeRow>`
    select wanted.n::int as n, page.path, page.title
    from unnest(${queries}::text[]) with ordinality as wanted (words, n)
    cross join lateral (
      (select match.page_id from page_search match where match.title @@ wanted.words::tsquery and match.space_id = ${spaceId} limit ${ENOUGH})
      union
      (select address.page_id from page_address address
        where address.page_id is not null and ${pathWords} @@ wanted.words::tsquery and address.space_id = ${spaceId} limit ${ENOUGH})
    ) match
    join page on page.space_id = ${spaceId} and page.id = match.page_id and page.deleted_at is null`.execute(
    db,
  )
  return rows
}
