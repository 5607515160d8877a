import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import type { Condition } from '../filters.ts'
import type { SortKey } from '../sort-key.ts'
import {
  afterValue,
  all,
  type ConditionGroup,
  hasOrderedValue,
  inGroup,
  inSpaces,
  probeByPage,
  type Query,
  type QueryParts,
  rowsOf,
  scanByIndex,
  scanByOrder,
} from './store-conditions.ts'

/*
 * The statements of a metadata query. Each finds the keys of its matches in a CTE `match` and then reads their pages by
 * primary key. store-conditions.ts explains the aliases and the three ways to the pages. test/metadata/plans.slow.test.ts
 * holds the plans that are named here.
 */

/** A match. `sort` is null if it has no value to order by. */
export interface MatchRow {
  readonly space_id: number
  readonly id: number
  readonly path: string
  readonly title: string
  readonly version: number
  readonly updated_at: Date
  readonly sort: SortKey | null
}

/** A position in the order of spaces and paths. */
export interface AddressPosition {
  readonly spaceId: number
  readonly path: string
}

const columns = sql`page.space_id, page.id, page.path, page.title, page.version, page.updated_at, match.sort`
const matchedPage = sql`join page on page.space_id = match.space_id and page.id = match.id`

/** How far a scan in the order of the result goes. */
export interface Scan {
  /** The number of pages that are scanned. */
  readonly scanned: number
  /** A condition that an index decides for all pages: the scan reads them once into a hash table, and probes no others. */
  readonly among?: Condition | undefined
}

/**
 * More than `among` has. The planner uses a hash table where it expects that this many fit into memory, whatever the
 * statistics say.
 */
const MAX_CHOSEN = 200_000

/** The pages of `among`, as a CTE before others, and the condition that a page is one of them. */
function amongPages({ among }: Scan, pageId: RawBuilder<unknown>) {
  const rows = among && rowsOf(among)
  if (!rows) return { chosen: sql``, isChosen: sql`true` }
  const row = sql.ref('row')
  return {
    chosen: sql`chosen as materialized (select row.page_id from ${rows.table} row where ${rows.is(row)} limit ${MAX_CHOSEN}),`,
    // `is true` keeps the planner from a join, whose plan depends on estimates. The id of a page is unique in all spaces.
    isChosen: sql`(${pageId} in (select chosen.page_id from chosen)) is true`,
  }
}

/** To skip an entry of another space is so much cheaper than to probe one. */
const SKIPPED_PER_PROBED = 10

/**
 * All matches, in no order; undefined where they are more than `most`. Plan: nested loops from the most selective index of the
 * conditions (page_metadata_doc or metadata_entry_rank), which end at the limit; no page is read where they are too many.
 */
export async function findFewMatches(
  db: Db,
  query: Query,
  group: ConditionGroup,
  most: number,
): Promise<MatchRow[] | undefined> {
  const rows = await run(
    db,
    sql`with match as materialized (${keysOf(scanByIndex(query, group))} limit ${most + 1})
      select ${columns} from match
      left join page on (select count(*) from match) <= ${most} and page.space_id = match.space_id and page.id = match.id`,
  )
  return rows.length <= most ? rows : undefined
}

/** A part of the matches in the order of their values. */
interface ValueWindow {
  readonly after: SortKey | undefined
  readonly descending: boolean
  readonly limit: number
}

/**
 * Matches that have a value, in the order of the values, among the first `scanned` pages in this order. Plan: an index
 * scan of metadata_entry_rank without a sort, which ends at the limit; a few lookups by primary key for each candidate, with
 * `among` only of those in its hash table (hashed SubPlan).
 */
export async function scanByValue(
  db: Db,
  query: Query,
  { after, descending, limit, scanned, among }: ValueWindow & Scan,
): Promise<MatchRow[]> {
  const { from, where, sort } = scanByOrder(query)
  const direction = descending ? sql`desc` : sql``
  const inOrder = [...hasOrderedValue(query), ...afterValue(query, after, descending)]
  const { chosen, isChosen } = amongPages({ scanned, among }, sql`ordering.page_id`)
  // One that is not chosen is skipped as cheaply as one of another space.
  const read = among ? scanned : SKIPPED_PER_PROBED * scanned
  return run(
    db,
    sql`with ${chosen} candidate as materialized (
        select ordering.space_id, ordering.page_id, ordering.rank from (
          select ordering.space_id, ordering.page_id, ordering.rank from metadata_entry ordering
          where ${all(inOrder)} order by ordering.rank ${direction} limit ${read}
        ) ordering
        where ${inSpaces(query.spaceIds, sql.ref('ordering'))} and ${isChosen}
        order by ordering.rank ${direction} limit ${scanned}
      ), match as materialized (
        select page.space_id, page.id, ordering.rank, ${sort} as sort
        from candidate ordering
        cross join lateral (select ordering.space_id, ordering.page_id as id) page ${from}
        where ${all(where)} order by ordering.rank ${direction} limit ${limit}
      )
      select ${columns} from match ${matchedPage} order by match.rank ${direction}`,
  )
}

/**
 * The same among all pages. Plan: all matches by the most selective index, then a sort that keeps the first ones (top-N
 * heapsort).
 */
export async function sortByValue(
  db: Db,
  query: Query,
  { after, descending, limit }: ValueWindow,
): Promise<MatchRow[]> {
  const { from, where, sort } = scanByIndex(query, 'valued')
  const direction = descending ? sql`desc` : sql``
  return run(
    db,
    sql`with found as materialized (
        select page.space_id, page.id, ordering.rank, ${sort} as sort from ${from}
        where ${all([...where, ...afterValue(query, after, descending)])}
      ), match as (
        select * from found order by rank ${direction} limit ${limit}
      )
      select ${columns} from match ${matchedPage} order by match.rank ${direction}`,
  )
}

/** A part of the matches of one group in the order of spaces and paths. */
export interface AddressWindow {
  readonly group: Exclude<ConditionGroup, 'valued'>
  readonly after: AddressPosition | undefined
  readonly limit: number
}

/**
 * Matches of one group in the order of spaces and paths, among the first `scanned` pages in this order. Plan: for each
 * space an index scan of page_address_taken without a sort, which ends at the limit; lookups as above.
 */
export async function scanByAddress(
  db: Db,
  query: Query,
  { group, after, limit, scanned, among }: AddressWindow & Scan,
): Promise<MatchRow[]> {
  const { from, where, sort } = probeByPage(query)
  const isAfter = after ? sql`and (space.id <> ${after.spaceId} or address.path > ${after.path})` : sql``
  const { chosen, isChosen } = amongPages({ scanned, among }, sql`candidate.page_id`)
  return run(
    db,
    sql`with ${chosen} candidate as materialized (
        select space.n, address.space_id, address.path, address.page_id
        from (
          select id, n from unnest(${query.spaceIds}::bigint[]) with ordinality as space (id, n) order by n
        ) space
        cross join lateral (
          select address.space_id, address.path, address.page_id from page_address address
          where address.space_id = space.id and address.page_id is not null ${isAfter}
          order by address.path limit ${scanned}
        ) address
        order by space.n, address.path limit ${scanned}
      ), match as materialized (
        select page.space_id, page.id, page.n, page.path, ${sort} as sort
        from (select space_id, page_id as id, n, path from candidate where ${isChosen}) page ${from}
        where ${all([...where, ...inGroup(query, group)])}
        order by page.n, page.path limit ${limit}
      )
      select ${columns} from match ${matchedPage} order by match.n, match.path`,
  )
}

/**
 * The same among all pages. Plan: all matches by the most selective index; their pages are read, and sorted, only of the
 * first spaces, as many as hold enough matches: `offset 0` keeps the planner from reading those of all.
 */
export async function sortByAddress(
  db: Db,
  query: Query,
  { group, after, limit }: AddressWindow,
): Promise<MatchRow[]> {
  const isFirst = (id: string) => sql`${sql.ref(id)} = ${after?.spaceId ?? 0}`
  return run(
    db,
    sql`with match as materialized (${keysOf(scanByIndex(query, group))}), space as (
        select space.id, space.n,
          sum(case when ${isFirst('space.id')} then 0 else matches end) over (order by space.n) - matches as matches_before
        from unnest(${query.spaceIds}::bigint[]) with ordinality as space (id, n)
        join (select space_id, count(*) as matches from match group by space_id) counted on counted.space_id = space.id
      ), first as (
        select match.space_id, match.id, match.sort, space.n from space join match on match.space_id = space.id
        where space.matches_before < ${limit} offset 0
      )
      select ${columns} from first match ${matchedPage}
      where not ${isFirst('match.space_id')} or page.path > ${after?.path ?? ''}
      order by match.n, page.path limit ${limit}`,
  )
}

/** The values of some pages. */
export async function readDocuments(
  db: Db,
  pages: readonly { readonly space_id: number; readonly id: number }[],
): Promise<{ page_id: number; doc: Readonly<Record<string, unknown>> }[]> {
  const { rows } = await sql<{ page_id: number; doc: Readonly<Record<string, unknown>> }>`
    select metadata.page_id, metadata.doc
    from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.id)}::bigint[])
      as page (space_id, id)
    join page_metadata metadata on metadata.space_id = page.space_id
      and metadata.page_id = page.id`.execute(db)
  return rows
}

function keysOf({ from, where, sort }: QueryParts): RawBuilder<unknown> {
  return sql`select page.space_id, page.id, ${sort} as sort from ${from} where ${all(where)}`
}

async function run(db: Db, query: RawBuilder<unknown>): Promise<MatchRow[]> {
  const { rows } = await (query as RawBuilder<MatchRow>).execute(db) // every query here selects `columns`
  return rows
}
