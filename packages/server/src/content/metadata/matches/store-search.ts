import { type RawBuilder, sql } from 'kysely'
import { isTemplate } from '../../../access/template-folder.ts'
import { allPlaces, hiddenBySpace, isOutside, isPageOutside, pathRanges } from '../../../access/visibility.ts'
import { type Db, queryRows, queryValues } from '../../../platform/database/database.ts'
import type { Condition } from '../filters.ts'
import type { SortKey } from '../sort-key.ts'
import { all, entriesOfKey, entryOfPage, isDecidedByRows, selectRows } from './store-condition-kinds.ts'
import * as conditions from './store-conditions.ts'

/*
 * The statements of a metadata query. Each finds the keys of its matches in a CTE `match` and then reads their pages by
 * primary key. store-conditions.ts explains the aliases and the three ways to the pages.
 * test/metadata/plans.stress.test.ts holds the plans that are named here.
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
  /** The same of further orders, once they are read. */
  readonly further?: readonly (SortKey | null)[] | undefined
}

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
  /** A condition that an index decides for all pages: its rows are read once, and only pages in them are probed. */
  readonly among?: Condition | undefined
}

/**
 * The scanned pages of `candidate`, with `among` only those that meet it, in their order (hash join, built on the side
 * that is expected to be smaller, whose result is sorted). The planner expects a hundred rows of `jsonb_to_recordset`,
 * although there are none: so it never takes a side for a single row, and a nested loop for cheap, where its statistics
 * are old. The id of a page is unique in all spaces.
 */
function scannedPages(
  { spaceIds }: conditions.Query,
  { among }: Scan,
  order: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const rows = among && selectRows(among)
  if (!rows) return sql`select * from candidate`
  const row = sql.ref('row')
  return sql`select candidate.* from candidate join (
      select row.page_id from ${rows.table} row where ${rows.is(row)} and ${conditions.inFewSpaces(spaceIds, row)}
      union all select page_id from jsonb_to_recordset('[]') as nothing (page_id bigint)
    ) chosen on chosen.page_id = candidate.page_id
    order by ${order} offset 0`
}

/** The query with the conditions that are probed: `among` is decided, unless a row may be one of a long array. */
function probed(query: conditions.Query, { among }: Scan): conditions.Query {
  if (among && !isDecidedByRows(among)) return query
  return { ...query, conditions: query.conditions.filter((condition) => condition !== among) }
}

/** To skip an entry of another space is so much cheaper than to probe one. */
export const SKIPPED_PER_PROBED = 10

/** Which of few matches are wanted: the first ones after a position in the order of the result. */
export interface Wanted {
  /** The value of the position; null: the position is among pages without a value. */
  readonly after: SortKey | null | undefined
  readonly descending: boolean
  readonly limit: number
}

/**
 * The wanted matches, and all with the value of the last of them, in no order; undefined where all matches are more
 * than `most`. Plan: nested loops from the most selective index of the conditions (page_metadata_doc or
 * metadata_entry_rank), which end at the limit; pages are read of the wanted ones alone (a Result node skips others),
 * and none where the matches are too many.
 */
export async function findFewMatches(
  db: Db,
  query: conditions.Query,
  group: conditions.ConditionGroup,
  { most, limit, ...wanted }: Wanted & { readonly most: number },
): Promise<MatchRow[] | undefined> {
  const rows = await run(
    db,
    sql`with match as materialized (${selectKeys(query, group)} limit ${most + 1}),
      placed as (select match.*, rank() over (order by ${buildOrder(wanted)}) as place from match)
      select ${columns} from placed match
      left join lateral (
        select * from page
        where (select count(*) from match) <= ${most} and match.place <= ${limit}
          and page.space_id = match.space_id and page.id = match.id offset 0
      ) page on true`,
  )
  return rows.length <= most ? rows.filter(({ path }) => path !== null) : undefined
}

/** What is after the position comes first. */
function buildOrder({ after, descending }: Pick<Wanted, 'after' | 'descending'>): RawBuilder<unknown> {
  const value = sql`match.sort collate "C"`
  const order = sql`${value} ${descending ? sql`desc` : sql`asc`} nulls last`
  if (after === undefined) return order
  const isAfter = after === null ? sql`${value} is null` : sql`${value} ${descending ? sql`<` : sql`>`} ${after}`
  return sql`(${isAfter}) is not false desc, ${order}`
}

/** A part of the matches in the order of their values. */
interface ValueWindow {
  readonly after: SortKey | undefined
  readonly descending: boolean
  readonly limit: number
}

/**
 * Matches that have a value, in the order of the values, among the first `scanned` pages in this order. Plan: an index
 * scan of metadata_entry_rank without a sort, which ends at the limit; a few lookups by primary key for each candidate,
 * with `among` only of those that meet it (hash join).
 */
export async function scanByValue(
  db: Db,
  query: conditions.Query,
  { after, descending, limit, ...scan }: ValueWindow & Scan,
): Promise<MatchRow[]> {
  const { from, where, sort } = conditions.scanByOrder(probed(query, scan))
  const direction = descending ? sql`desc` : sql``
  const inOrder = [...conditions.hasOrderedValue(query), ...conditions.afterValue(query, after, descending)]
  const scannedSql = scannedPages(query, scan, sql`candidate.rank ${direction}`)
  const matches = sql`
        select page.space_id, page.id, ordering.rank, ${sort} as sort
        from (${scannedSql}) ordering
        cross join lateral (select ordering.space_id, ordering.page_id as id) page ${from}
        where ${all(where)}`
  return run(
    db,
    sql`with candidate as (
        select ordering.space_id, ordering.page_id, ordering.rank from (
          select ordering.space_id, ordering.page_id, ordering.rank from ${entriesOfKey(query.orderBy ?? '')} ordering
          where ${all(inOrder)} order by ordering.rank ${direction} limit ${SKIPPED_PER_PROBED * scan.scanned}
        ) ordering
        where ${conditions.inSpaces(query.spaceIds, sql.ref('ordering'))}
        order by ordering.rank ${direction} limit ${scan.scanned}
      ), match as materialized (
        ${dropHidden(query, matches, sql`order by rank ${direction}`)} limit ${limit}
      )
      select ${columns} from match ${matchedPage} order by match.rank ${direction}`,
  )
}

/** The same among all pages. Plan: all matches by the most selective index, then a top-N heapsort. */
export async function sortByValue(
  db: Db,
  query: conditions.Query,
  { after, descending, limit }: ValueWindow,
): Promise<MatchRow[]> {
  const { from, where, sort } = conditions.scanByIndex(query, 'valued')
  const direction = descending ? sql`desc` : sql``
  const matches = sql`select page.space_id, page.id, ordering.rank, ${sort} as sort from ${from}
        where ${all([...where, ...conditions.afterValue(query, after, descending)])}`
  return run(
    db,
    sql`with found as materialized (${dropHidden(query, matches)}), match as (
        select * from found order by rank ${direction} limit ${limit}
      )
      select ${columns} from match ${matchedPage} order by match.rank ${direction}`,
  )
}

/** A part of the matches of one group in the order of spaces and paths. */
export interface AddressWindow {
  readonly group: Exclude<conditions.ConditionGroup, 'valued'>
  readonly after: AddressPosition | undefined
  readonly limit: number
}

/**
 * Matches of one group in the order of spaces and paths, among the first `scanned` pages in this order. Plan: for each
 * space an index scan of page_address_taken without a sort, which ends at the limit; lookups as above.
 */
export async function scanByAddress(
  db: Db,
  query: conditions.Query,
  { group, after, limit, ...scan }: AddressWindow & Scan,
): Promise<MatchRow[]> {
  const { from, where, sort } = conditions.probeByPage(probed(query, scan))
  const isAfter = after ? sql`and (space.id <> ${after.spaceId} or address.path > ${after.path})` : sql``
  const folders = visibleRanges(query)
  const scannedSql = scannedPages(query, scan, sql`candidate.n, ${folders.inOrder('candidate')} candidate.path`)
  return run(
    db,
    sql`with candidate as (
        select space.n, ${folders.inOrder('space')} address.space_id, address.path, address.page_id
        from (${folders.from}) space
        cross join lateral (
          select address.space_id, address.path, address.page_id from page_address address
          where address.space_id = space.id and address.page_id is not null ${isAfter} ${folders.where}
          order by address.path limit ${scan.scanned}
        ) address
        order by space.n, ${folders.inOrder('space')} address.path limit ${scan.scanned}
      ), match as materialized (
        select page.space_id, page.id, page.n, page.path, ${sort} as sort
        from (select space_id, page_id as id, n, ${folders.inOrder('scanned')} path
          from (${scannedSql}) scanned) page ${from}
        where ${all([...where, ...conditions.inGroup(query, group)])}
        order by page.n, ${folders.inOrder('page')} page.path limit ${limit}
      )
      select ${columns} from match ${matchedPage} order by match.n, match.path`,
  )
}

/**
 * The same among all pages. Plan: all matches by the most selective index; their pages are read, and sorted, only of
 * the first spaces, as many as hold enough matches: `offset 0` keeps the planner from reading those of all.
 */
export async function sortByAddress(
  db: Db,
  query: conditions.Query,
  { group, after, limit }: AddressWindow,
): Promise<MatchRow[]> {
  const isFirst = (id: string) => sql`${sql.ref(id)} = ${after?.spaceId ?? 0}`
  // A join with the spaces would compare each match with each of them where the planner expects few matches.
  const place = sql`array_position(${query.spaceIds}::bigint[], match.space_id)`
  return run(
    db,
    sql`with match as materialized (${selectKeys(query, group)}), space as (
        select match.space_id,
          sum(case when ${isFirst('match.space_id')} then 0
            else count(*) end) over (order by ${place}) - count(*) as matches_before
        from match group by match.space_id
      ), first as (
        select match.space_id, match.id, match.sort, ${place} as n from match
        where (match.space_id in (select space_id from space where matches_before < ${limit})) is true offset 0
      )
      select ${columns} from first match ${matchedPage}
      where not ${isFirst('match.space_id')} or page.path > ${after?.path ?? ''}
      order by match.n, page.path limit ${limit}`,
  )
}

/** Those of the spaces that have page templates: to leave out those of all would cost more than to look. */
export async function listSpacesWithTemplates(db: Db, spaceIds: readonly number[]): Promise<number[]> {
  return queryValues<number>(db)`
    select space.id from unnest(${spaceIds}::bigint[]) as space (id)
    cross join lateral (
      select from page_address address where address.space_id = space.id and address.page_id is not null
        and ${isTemplate('address.path')} limit 1 offset 0
    ) template`
}

/** The sort keys of some pages for each of the keys. Plan: a look-up of each by primary key. */
export async function readSortKeys(
  db: Db,
  keys: readonly string[],
  pages: readonly { readonly space_id: number; readonly id: number }[],
): Promise<{ page_id: number; sorts: readonly (SortKey | null)[] }[]> {
  const sorts = keys.map(
    (key) => sql`(select ${conditions.selectSortKey({ orderBy: key })} from (${entryOfPage(key)}) ordering)`,
  )
  return queryRows<{ page_id: number; sorts: readonly (SortKey | null)[] }>(db)`
    select page.id as page_id, array[${sql.join(sorts)}]::text[] as sorts
    from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.id)}::bigint[])
      as page (space_id, id)`
}

/** The values of some pages. */
export async function readDocuments(
  db: Db,
  pages: readonly { readonly space_id: number; readonly id: number }[],
): Promise<{ page_id: number; doc: Readonly<Record<string, unknown>> }[]> {
  return queryRows<{ page_id: number; doc: Readonly<Record<string, unknown>> }>(db)`
    select metadata.page_id, metadata.doc
    from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.id)}::bigint[])
      as page (space_id, id)
    join page_metadata metadata on metadata.space_id = page.space_id
      and metadata.page_id = page.id`
}

function selectKeys(query: conditions.Query, group: conditions.ConditionGroup): RawBuilder<unknown> {
  const { from, where, sort } = conditions.scanByIndex(query, group)
  return dropHidden(query, sql`select page.space_id, page.id, ${sort} as sort from ${from} where ${all(where)}`)
}

/** Some rows in an order without those of hidden pages, which are looked up last, one by one (`offset 0`). */
function dropHidden({ hidden }: conditions.Query, rows: RawBuilder<unknown>, order = sql``): RawBuilder<unknown> {
  if (hidden === null) return sql`${rows} ${order}`
  return sql`select * from (${rows} ${order} offset 0) found
    where ${isPageOutside(hidden, 'found.space_id', 'found.id')} ${order}`
}

interface VisibleRanges {
  readonly from: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
  /** The column of a row that stands between the space and the path in the order, with a comma. */
  readonly inOrder: (row: string) => RawBuilder<unknown>
}

/** The spaces in their order; where folders are hidden, with the ranges of paths between these. */
function visibleRanges({ spaceIds, hidden }: conditions.Query): VisibleRanges {
  const spaces = sql`unnest(${spaceIds}::bigint[]) with ordinality as space (id, n)`
  if (hidden === null) return { from: sql`select id, n from ${spaces} order by n`, where: sql``, inOrder: () => sql`` }
  return {
    from: sql`select space.id, space.n, range.first, range.last from ${spaces}
      left join ${hiddenBySpace(hidden)} hidden on hidden.space_id = space.id
      cross join lateral (select ${allPlaces(sql`space.id`)} as places) whole
      cross join lateral ${pathRanges(sql`whole.places - coalesce(hidden.places, '{}')`, sql`space.id`)} range
      order by space.n, range.first`,
    where: sql`and address.path >= space.first and address.path <= space.last
      and ${isOutside(hidden, 'address.space_id', 'address.path')}`,
    // Paths are in this order, too, and the planner sees that nothing is left to sort.
    inOrder: (row: string) => sql`${sql.ref(`${row}.first`)},`,
  }
}

async function run(db: Db, query: RawBuilder<unknown>): Promise<MatchRow[]> {
  const { rows } = await (query as RawBuilder<MatchRow>).execute(db) // every query here selects `columns`
  return rows
}
