import type { Ctx } from '../../access/ctx.ts'
import { compareText } from '../../lib/text/text-order.ts'
import { compareRanks, type SortRank } from '../ranking.ts'
import type { SortKey } from '../sort-key.ts'
import { type Query, rowsOf } from './store-conditions.ts'
import {
  type AddressPosition,
  type AddressWindow,
  findFewMatches,
  type MatchRow,
  type Scan,
  scanByAddress,
  scanByValue,
  sortByAddress,
  sortByValue,
} from './store-search.ts'
import { findSelective, type Selective } from './store-selective.ts'

/*
 * Finds the next matches of a metadata query in its order: by value, pages without one last, then by space and path.
 * Nothing here changes the result, only what it costs. Top-k query evaluation with a fallback:
 *
 * 1. Many matches: those that are wanted are usually near in the order. A short scan in this order tries that first; its
 *    hit rate says how far it would have to go on. An index would read all matches of a condition before the first one.
 * 2. None of them near: there may be few in all (`sortLimit`). One statement finds them, and they are sorted here.
 * 3. A longer scan probes only pages that meet the most selective condition (`selectiveLimit`), if entries or elements decide one: they
 *    are read into a hash table first, and other pages are skipped for a tenth of what a probe costs (hash semi-join). Where these
 *    pages are few (`probeLimit`), they are all probed instead.
 * 4. Where a scan would have to go too far (`scanLimit`), all matches are found by an index and sorted by PostgreSQL.
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
  /** The same where the index of entries alone finds the matches: it reads a hundred of them for each block. */
  readonly entryScanLimit: number
  /** So many pages of the most selective condition are all probed, and the matches sorted: to scan for them costs as much. */
  readonly probeLimit: number
  /** The maximum of pages of the most selective condition, and of pages that are scanned for them. */
  readonly selectiveLimit: number
}

export const BOUNDS: Bounds = {
  sortLimit: 1_000,
  scanLimit: 8_000,
  entryScanLimit: 2_000,
  probeLimit: 5_000,
  selectiveLimit: 60_000,
}

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

/** A query, with all of its matches once they are known to be few; null: they are known to be many. */
interface Search extends MatchQuery {
  few?: readonly MatchRow[] | null
  selective?: Promise<Selective | undefined>
}

/** A short scan reads so many pages for each match that is wanted. */
const SHORT_SCAN = 8
/**
 * An estimate by fewer hits is worth little: where it says that the scan would be long, and there are several conditions, the
 * short scan is repeated, so much longer.
 */
const MIN_HITS = 8
const LONGER_SAMPLE = 4

/** A long scan may go so many times as far as expected: it ends with the last match that is wanted, and to fall short costs more. */
const GENEROUS = 3

/** The first matches after a position, in their order. */
export async function findMatches(
  query: MatchQuery,
  after: SortRank | undefined,
  limit: number,
): Promise<Match[]> {
  if (query.spaces.length === 0) return []
  const search: Search = { ...query }
  return query.orderBy === undefined
    ? findByAddress(search, 'all', after, limit)
    : findByValue(search, after, limit)
}

async function findByValue(search: Search, after: SortRank | undefined, limit: number): Promise<Match[]> {
  let matches: readonly Match[] = []
  const missing = () => limit - matches.length
  if (after?.sort !== null) {
    if (after) matches = await findByAddress(search, { value: after.sort }, after, limit)
    if (missing() <= 0) return [...matches]
    const next = await findNextValues(search, after?.sort, missing() + 1)
    // With one more than is missing the limit may have cut the pages of the last value.
    const cut = next.length > missing() ? next.at(-1)?.sort : undefined
    const complete = next.filter(({ sort }) => sort !== cut)
    matches = [...matches, ...sorted(search, complete, undefined)]
    if (cut) return [...matches, ...(await findByAddress(search, { value: cut }, undefined, missing()))]
  }
  return [
    ...matches,
    ...(await findByAddress(search, 'unvalued', after?.sort === null ? after : undefined, missing())),
  ]
}

/** Matches of one group in the order of spaces and paths. */
async function findByAddress(
  search: Search,
  group: TieGroup,
  after: SortRank | undefined,
  limit: number,
): Promise<Match[]> {
  if (limit <= 0) return []
  const few =
    typeof group === 'object' ? await findFewMatches(search.db, search, group, search.sortLimit) : search.few
  if (few) return fewOf(search, few, group, after).slice(0, limit)
  const { rest, position } = restOfSpaces(search, after)
  if (rest.spaceIds.length === 0) return []
  const window = { group, after: position, limit }
  const isFiltered = search.conditions.length > 0 || group !== 'all'
  const near = await scanNear(search, limit, isFiltered, (scan) =>
    scanByAddress(search.db, rest, { ...window, ...scan }),
  )
  if (near) return toMatches(search, near)
  if (search.few) return fewOf(search, search.few, group, after).slice(0, limit)
  return toMatches(search, await sortByAddress(search.db, rest, window))
}

/** Pages with the next values, in the order of the values alone. */
async function findNextValues(
  search: Search,
  after: SortKey | undefined,
  limit: number,
): Promise<readonly MatchRow[]> {
  const window = { after, descending: search.descending, limit }
  const isFiltered = search.conditions.length > 0
  const near = await scanNear(search, limit, isFiltered, (scan) =>
    scanByValue(search.db, search, { ...window, ...scan }),
  )
  if (near) return near
  if (!search.few) return sortByValue(search.db, search, window)
  const isNext = ({ sort }: MatchRow) =>
    sort !== null && (after === undefined || (search.descending ? sort < after : sort > after))
  return search.few
    .filter(isNext)
    .sort((a, b) => compareSort(a, b) * (search.descending ? -1 : 1))
    .slice(0, limit)
}

/**
 * As many matches as requested, by a bounded scan in their order; undefined where they are too far apart, or few in
 * all. A short scan estimates how far the scan would have to go. Where nothing filters, the first pages are the matches.
 */
async function scanNear(
  search: Search,
  limit: number,
  isFiltered: boolean,
  scan: (scan: Scan) => Promise<MatchRow[]>,
): Promise<MatchRow[] | undefined> {
  const short = isFiltered ? SHORT_SCAN * limit : limit
  const near = await scan({ scanned: short })
  if (near.length >= limit) return near
  const expected = pagesFor(limit, short, near.length)
  const isFar = expected > (isByEntry(search) ? search.entryScanLimit : search.scanLimit)
  const selective = isFar ? await selectiveOf(search) : undefined
  return selective
    ? scanSelective(search, selective, { limit, expected }, scan)
    : scanFar(search, { limit, short, near: near.length }, scan)
}

/**
 * Such a scan that probes only pages that meet the most selective condition. Undefined, too, where these are so few that all are probed.
 * Where many pages meet each condition, it probes all: to find all matches by an index would probe as many.
 */
async function scanSelective(
  search: Search,
  { condition, pages }: Selective,
  { limit, expected }: { readonly limit: number; readonly expected: number },
  scan: (scan: Scan) => Promise<MatchRow[]>,
): Promise<MatchRow[] | undefined> {
  if (pages > search.sortLimit && pages <= search.probeLimit) return undefined
  const most = search.selectiveLimit
  const generous = Math.min(GENEROUS * expected, most)
  for (const scanned of pages <= search.sortLimit ? [] : new Set([generous, most])) {
    const far = await scan({ scanned, among: condition })
    if (far.length >= limit) return far
  }
  await findFew(search)
  return undefined
}

/** Such a scan that probes all pages, after a short one that found `near` matches. */
async function scanFar(
  search: Search,
  { limit, short, near }: { readonly limit: number; readonly short: number; readonly near: number },
  scan: (scan: Scan) => Promise<MatchRow[]>,
): Promise<MatchRow[] | undefined> {
  // Several conditions leave fewer matches than the index finds by one of them: a sort would read all that it finds.
  const several = search.conditions.length > 1
  const most = several ? 2 * search.scanLimit : isByEntry(search) ? search.entryScanLimit : search.scanLimit
  if (near === 0) {
    await findFew(search)
    if (search.few || !several) return undefined
  }
  let expected = pagesFor(limit, short, near)
  if (expected > most / 2 && several && near < MIN_HITS) {
    const sample = await scan({ scanned: LONGER_SAMPLE * short })
    if (sample.length >= limit) return sample
    expected = pagesFor(limit, LONGER_SAMPLE * short, sample.length)
  }
  if (expected > most) return undefined
  const far = await scan({ scanned: Math.min(GENEROUS * expected, most) })
  if (far.length >= limit) return far
  await findFew(search)
  return undefined
}

/** The most selective condition, looked for once. */
function selectiveOf(search: Search): Promise<Selective | undefined> {
  search.selective ??= findSelective(search.db, search, {
    most: search.selectiveLimit,
    few: search.entryScanLimit,
  })
  return search.selective
}

/** Whether the index of entries finds the matches of the only condition, without their documents. */
function isByEntry({ conditions: [condition, ...others], orderBy }: Search): boolean {
  return (
    orderBy === undefined && others.length === 0 && condition !== undefined && rowsOf(condition) !== undefined
  )
}

/** The pages to scan for so many matches, with half as many again to be sure; infinite without a hit. */
function pagesFor(limit: number, scanned: number, hits: number): number {
  return Math.ceil((1.5 * scanned * limit) / hits)
}

/** Finds all matches if they are few. */
async function findFew(search: Search): Promise<void> {
  if (search.few !== undefined || search.conditions.length === 0) return
  search.few = (await findFewMatches(search.db, search, 'all', search.sortLimit)) ?? null
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

/** Those of a group that come after the position, in their order. */
function fewOf(
  search: Search,
  few: readonly MatchRow[],
  group: TieGroup,
  after: SortRank | undefined,
): Match[] {
  const value = typeof group === 'object' ? group.value : null
  return sorted(search, group === 'all' ? few : few.filter(({ sort }) => sort === value), after)
}

function compareSort({ sort: a }: MatchRow, { sort: b }: MatchRow): number {
  return compareText(a ?? '', b ?? '')
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
