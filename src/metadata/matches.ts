import type { Ctx } from '../access/ctx.ts'
import { compareText } from '../lib/text-order.ts'
import { compareRanks, type SortRank } from './ranking.ts'
import type { SortKey } from './sort-key.ts'
import type { Query } from './store-conditions.ts'
import {
  type AddressPosition,
  type AddressWindow,
  findSomeMatches,
  type MatchRow,
  scanByAddress,
  scanByValue,
  sortByAddress,
  sortByValue,
} from './store-search.ts'

/*
 * Finds the next matches of a metadata query in its order: by value, pages without one last, then by space and path.
 * Nothing here changes the result, only what it costs. Top-k query evaluation with a fallback:
 *
 * 1. Few matches in all (`sortLimit`): one statement finds them, and they are sorted here.
 * 2. Many matches: those that are wanted are usually near in the order. A bounded scan in this order tries that first; its
 *    hit rate says how far it would have to go on. Where that is too far (`scanLimit`), all matches are found by an index
 *    and sorted by PostgreSQL.
 *
 * Without `orderBy` all matches are one group, in the order of spaces and paths. With `orderBy` a position in the order is
 * in one of three states, which `findByValue` goes through:
 *
 * - ties: other pages with the value of the position, in the order of spaces and paths;
 * - next values: pages with values after it, which the index has in order, but the pages of one value in any order.
 *   Where the limit cuts the pages of one value, these are read again as ties;
 * - unvalued: pages without a value, in the order of spaces and paths.
 */

/** When a search changes its plan. */
interface Bounds {
  /** Up to so many matches are sorted here. */
  readonly sortLimit: number
  /**
   * The maximum of pages that are scanned in order before all matches are sorted; twice as many with several
   * conditions.
   */
  readonly scanLimit: number
}

export const BOUNDS: Bounds = { sortLimit: 300, scanLimit: 8_000 }

export interface MatchQuery extends Query, Bounds {
  readonly db: Ctx['db']
  /** In the order of their slugs. */
  readonly spaces: readonly { readonly id: number; readonly slug: string }[]
  readonly descending: boolean
}

export interface Match extends SortRank {
  readonly row: MatchRow
}

/** A group in which only space and path order the matches. */
type TieGroup = AddressWindow['group']

/** The first matches after a position, in their order. */
export async function findMatches(
  query: MatchQuery,
  after: SortRank | undefined,
  limit: number,
): Promise<Match[]> {
  if (query.spaces.length === 0) return []
  if (query.conditions.length > 0) {
    const matches = await findIfFew(query, 'all', after)
    if (matches) return matches.slice(0, limit)
  }
  return query.orderBy === undefined
    ? findByAddress(query, 'all', after, limit)
    : findByValue(query, after, limit)
}

async function findByValue(query: MatchQuery, after: SortRank | undefined, limit: number): Promise<Match[]> {
  let matches: readonly Match[] = []
  const missing = () => limit - matches.length
  if (after?.sort !== null) {
    if (after) matches = await findByAddress(query, { value: after.sort }, after, limit)
    if (missing() <= 0) return [...matches]
    const next = await findNextValues(query, after?.sort, missing() + 1)
    // With one more than is missing the limit may have cut the pages of the last value.
    const cut = next.length > missing() ? next.at(-1)?.sort : undefined
    const complete = next.filter(({ sort }) => sort !== cut)
    matches = [...matches, ...sorted(query, complete, undefined)]
    if (cut) return [...matches, ...(await findByAddress(query, { value: cut }, undefined, missing()))]
  }
  return [
    ...matches,
    ...(await findByAddress(query, 'unvalued', after?.sort === null ? after : undefined, missing())),
  ]
}

/** Matches of one group in the order of spaces and paths. */
async function findByAddress(
  query: MatchQuery,
  group: TieGroup,
  after: SortRank | undefined,
  limit: number,
): Promise<Match[]> {
  if (limit <= 0) return []
  const few = typeof group === 'object' ? await findIfFew(query, group, after) : undefined
  if (few) return few.slice(0, limit)
  const { rest, position } = restOfSpaces(query, after)
  if (rest.spaceIds.length === 0) return []
  const window = { group, after: position, limit }
  const isFiltered = query.conditions.length > 0 || group !== 'all'
  const near = await scanNear(query, limit, isFiltered, (scanned) =>
    scanByAddress(query.db, rest, { ...window, scanned }),
  )
  return toMatches(query, near ?? (await sortByAddress(query.db, rest, window)))
}

/** Pages with the next values, in the order of the values alone. */
async function findNextValues(
  query: MatchQuery,
  after: SortKey | undefined,
  limit: number,
): Promise<MatchRow[]> {
  const window = { after, descending: query.descending, limit }
  const isFiltered = query.conditions.length > 0
  const near = await scanNear(query, limit, isFiltered, (scanned) =>
    scanByValue(query.db, query, { ...window, scanned }),
  )
  return near ?? sortByValue(query.db, query, window)
}

/** All matches of a group after a position, sorted; undefined where they are more than `sortLimit`. */
async function findIfFew(
  query: MatchQuery,
  group: TieGroup,
  after: SortRank | undefined,
): Promise<Match[] | undefined> {
  const rows = await findSomeMatches(query.db, query, group, query.sortLimit + 1)
  return rows.length <= query.sortLimit ? sorted(query, rows, after) : undefined
}

/**
 * As many matches as requested, by a bounded scan in their order; undefined where they are too far apart. A short
 * scan estimates how far the scan would have to go. Where nothing filters, the first pages are the matches.
 */
async function scanNear(
  { conditions, scanLimit }: MatchQuery,
  limit: number,
  isFiltered: boolean,
  scan: (scanned: number) => Promise<MatchRow[]>,
): Promise<MatchRow[] | undefined> {
  const short = isFiltered ? 8 * limit : limit
  const near = await scan(short)
  if (near.length >= limit) return near
  const expected = Math.ceil((1.5 * short * limit) / near.length)
  // Several conditions leave fewer matches than the index finds by one of them: a sort would read all that it finds.
  if (expected > (conditions.length > 1 ? 2 * scanLimit : scanLimit)) return undefined
  const far = await scan(expected)
  return far.length >= limit ? far : undefined
}

/** The query in the spaces from the position on, and the position within the first of them. */
function restOfSpaces(
  query: MatchQuery,
  after: SortRank | undefined,
): { rest: Query; position: AddressPosition | undefined } {
  if (!after) return { rest: query, position: undefined }
  const spaces = query.spaces.filter(({ slug }) => compareText(slug, after.space) >= 0)
  const first = spaces[0]
  const position = first?.slug === after.space ? { spaceId: first.id, path: after.path } : undefined
  return { rest: { ...query, spaceIds: spaces.map(({ id }) => id) }, position }
}

function sorted(query: MatchQuery, rows: readonly MatchRow[], after: SortRank | undefined): Match[] {
  const compare = (a: SortRank, b: SortRank) => compareRanks(a, b, query.descending)
  const matches = toMatches(query, rows).sort(compare)
  return after ? matches.filter((match) => compare(match, after) > 0) : matches
}

function toMatches({ spaces }: MatchQuery, rows: readonly MatchRow[]): Match[] {
  const slugs = new Map(spaces.map(({ id, slug }) => [id, slug]))
  return rows.map((row) => ({ row, sort: row.sort, space: slugs.get(row.space_id) ?? '', path: row.path }))
}
