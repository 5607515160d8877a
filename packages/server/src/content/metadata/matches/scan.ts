import type { Ctx } from '../../../access/ctx.ts'
import type { Order } from '../sort-position.ts'
import type { Query } from './store-conditions.ts'
import { type Estimates, estimatePages, type Guess, guessPages } from './store-estimates.ts'
import { findFewMatches, type MatchRow, type Scan, SKIPPED_PER_PROBED, type Wanted } from './store-search.ts'

/*
 * How the next matches of one group are found. Nothing here changes the result, only what it costs. Top-k query
 * evaluation with a fallback:
 *
 * 1. Many matches: those that are wanted are usually near in the order. A short scan in this order tries that first,
 * unless the planner
 *    guesses that few pages meet several conditions; its hit rate says how far it would have to go on. An index would
 *    read all matches of a
 *    condition before the first one.
 * 2. Otherwise the cheapest of three ways is taken, by the estimates of the planner and what the short scan has found:
 * a longer scan that
 *    probes each page; one that first drops the pages that do not meet the most selective condition, by one read of all
 *    its rows (hash
 *    join, a tenth of the cost of probes); or all matches by the index, which are sorted.
 * 3. A scan that ends before it has found enough corrects the estimate, once.
 */

/** Up to where a search goes in each of its ways. */
export interface Bounds {
  /** Up to so many matches are sorted here, once for all groups. */
  readonly sortLimit: number
  /** The maximum of pages that are probed in order before all matches are sorted; twice for several conditions. */
  readonly scanLimit: number
  /** A longer scan is worth an estimate. */
  readonly estimateLimit: number
  /** The maximum of pages that are scanned for those of the most selective condition. */
  readonly selectiveLimit: number
  /** What a probe costs, in entries that an index reads in order. */
  readonly probeCost: number
}

export const BOUNDS: Bounds = {
  sortLimit: 1_000,
  scanLimit: 8_000,
  estimateLimit: 2_000,
  selectiveLimit: 60_000,
  probeCost: 50,
}

export interface MatchQuery extends Query, Bounds {
  readonly db: Ctx['db']
  /** In the order of their slugs. */
  readonly spaces: readonly { readonly id: number; readonly slug: string }[]
  readonly descending: boolean
  /** How pages with one value of `orderBy` are sorted, before space and path. */
  readonly further: readonly Order[]
}

/** A query, with all matches that may be wanted if they are few; null: they are known to be many. */
export interface Search extends MatchQuery {
  few?: readonly MatchRow[] | null
}

/** Matches of a group that are looked for in its order. */
export interface Target {
  /** The conditions of the query and of the group; `orderBy` where the scan is in the order of values. */
  readonly query: Query
  readonly wanted: Wanted
  /** A part of the matches: those among the first pages in their order. */
  readonly scan: (scan: Scan) => Promise<MatchRow[]>
}

/** A short scan reads so many pages for each match that is wanted. */
const SHORT_SCAN = 8
/** Where only hidden pages are left out: most are visible. */
const SHORT_VISIBLE_SCAN = 4
/** The scan is left out where the guess is so many times `estimateLimit`: it would find a tenth of what is wanted. */
const FAR_GUESS = 2
/** An estimate by fewer hits is worth little: where it says that the scan is long, a longer sample is taken. */
const MIN_HITS = 8
const LONGER_SAMPLE = 4

/** A long scan may go so many times as far as expected: to fall short costs more than to go on. */
const GENEROUS = 3
/** So far may a scan with a hash table go, which reads all of its pages. */
const HASHED_GENEROUS = 1.5
/** The planner's guess weighs so many times the sample, which has few hits but knows how conditions depend. */
const GUESS_WEIGHT = 4
/** How many times the cost of all matches by the index makes a scan that is cut short at its limit worth a try. */
const CUT_SHORT = 4
/** A match that needs no probe costs such a share of one. */
const ENTRY_SHARE = 0.3
/** What it costs to put a row into a hash table, and to look one up there, in entries that an index reads in order. */
const HASH_COST = 3
const LOOKUP_COST = 0.7

/** As many matches as requested, by a bounded scan in their order; undefined where they are few or too far apart. */
export async function scanNear(search: Search, target: Target): Promise<MatchRow[] | undefined> {
  const { query, wanted, scan } = target
  const hasSeveral = query.conditions.length > 1
  let guess = hasSeveral ? await estimateQuery(search, query) : undefined
  if (guess && expectedPages(guess, wanted.limit) > FAR_GUESS * search.estimateLimit) {
    const estimates = await estimatePages(search.db, query, guess)
    return scanCheapest(search, target, { ...estimates, scanned: 0, hits: 0 })
  }
  const hides = query.hidden !== null && query.orderBy !== undefined
  const short = (query.conditions.length > 0 ? SHORT_SCAN : hides ? SHORT_VISIBLE_SCAN : 1) * wanted.limit
  const near = await scan({ scanned: short })
  if (near.length >= wanted.limit) return near
  const isFar = pagesFor(wanted.limit, short, near.length) > search.estimateLimit
  if (isFar && !hasSeveral) guess = await estimateQuery(search, query)
  if (!isFar || !guess) return scanFar(search, target, { short, near: near.length })
  const estimates = await estimatePages(search.db, query, guess)
  return scanCheapest(search, target, { ...estimates, scanned: short, hits: near.length })
}

const estimateQuery = ({ db, estimateLimit }: Search, query: Query) => guessPages(db, query, estimateLimit)

/** How many pages have to be scanned for so many matches. */
function expectedPages({ selectivity, others }: Guess, limit: number): number {
  return limit / (selectivity * others)
}

/** Estimates with the pages that were scanned and the matches among them. */
type Sampled = Estimates & { readonly scanned: number; readonly hits: number }

async function scanCheapest(search: Search, target: Target, estimates: Sampled): Promise<MatchRow[] | undefined> {
  const { limit } = target.wanted
  const guess = estimates.selectivity * estimates.others
  const density =
    estimates.scanned > 0 ? (estimates.hits / estimates.scanned + GUESS_WEIGHT * guess) / (1 + GUESS_WEIGHT) : guess
  const first = cheapestScan(search, target, estimates, limit / density)
  const matchRows = first ? await target.scan(first) : []
  if (matchRows.length >= limit) return matchRows
  // What the scan has found says more than the guess.
  const measuredDensity = first ? matchRows.length / first.scanned : guess
  const again = measuredDensity > 0 ? cheapestScan(search, target, estimates, limit / measuredDensity) : undefined
  if (first && again && again.scanned > first.scanned) {
    const more = await target.scan(again)
    if (more.length >= limit) return more
  }
  const expectedMatches = Math.min(1, measuredDensity / estimates.selectivity) * estimates.pages
  if (expectedMatches <= search.sortLimit) await findFew(search, target.wanted)
  return undefined
}

/** The cheapest scan if `pagesToScan` pages have to be scanned; undefined: all matches by the index cost less. */
function cheapestScan(
  { probeCost, scanLimit, selectiveLimit }: Bounds,
  { query, wanted }: Target,
  { condition, rows, pages, selectivity, others, share }: Estimates,
  pagesToScan: number,
): Scan | undefined {
  const skipCost = query.orderBy === undefined ? 1 : 1 / share
  // A page that meets the first condition is probed for the next one.
  const probes = query.conditions.length > 1 ? 1.3 : 1
  const direct = pagesToScan > 2 * scanLimit ? Number.POSITIVE_INFINITY : pagesToScan * (skipCost + probes * probeCost)
  const reach = Math.ceil(HASHED_GENEROUS * pagesToScan * Math.max(1, skipCost / SKIPPED_PER_PROBED))
  const scannedPages = Math.min(reach, selectiveLimit)
  const probedPages = Math.min(wanted.limit / others, scannedPages * selectivity)
  const joinedRows = rows * share // the table has the smaller side
  const join = HASH_COST * Math.min(scannedPages, joinedRows) + LOOKUP_COST * Math.max(scannedPages, joinedRows)
  const complete = rows + scannedPages * skipCost + join + probedPages * probeCost
  const hashedCost = reach > scannedPages ? CUT_SHORT * complete : complete
  const byIndex = rows + pages * probeCost * (isByEntry(query) ? ENTRY_SHARE : probes)
  if (byIndex < Math.min(direct, hashedCost)) return undefined
  return direct < hashedCost
    ? { scanned: Math.min(Math.ceil(GENEROUS * pagesToScan), 2 * scanLimit) }
    : { scanned: scannedPages, among: condition }
}

/** Whether the index of the only condition finds all matches without a probe; pages are read of the first spaces. */
function isByEntry({ conditions, orderBy, spaceIds }: Query): boolean {
  return orderBy === undefined && conditions.length === 1 && spaceIds.length > 1
}

/** Such a scan that probes all pages, after a short one that found `near` matches. */
async function scanFar(
  search: Search,
  { query, wanted, scan }: Target,
  { short, near }: { readonly short: number; readonly near: number },
): Promise<MatchRow[] | undefined> {
  const { limit } = wanted
  // Several conditions leave fewer matches than the index finds by one of them: a sort would read all that it finds.
  const several = query.conditions.length > 1
  const most = several ? 2 * search.scanLimit : search.scanLimit
  if (near === 0) {
    await findFew(search, wanted)
    if (search.few || !several) return undefined
  }
  let pagesToScan = pagesFor(limit, short, near)
  if (pagesToScan > most / 2 && several && near < MIN_HITS) {
    const sample = await scan({ scanned: LONGER_SAMPLE * short })
    if (sample.length >= limit) return sample
    pagesToScan = pagesFor(limit, LONGER_SAMPLE * short, sample.length)
  }
  if (pagesToScan > most) return undefined
  const far = await scan({ scanned: Math.min(GENEROUS * pagesToScan, most) })
  if (far.length >= limit) return far
  await findFew(search, wanted)
  return undefined
}

/** The pages to scan for so many matches, with half as many again to be sure; infinite without a hit. */
function pagesFor(limit: number, scannedPagesBefore: number, hits: number): number {
  return Math.ceil((1.5 * scannedPagesBefore * limit) / hits)
}

async function findFew(search: Search, wantedRange: Wanted): Promise<void> {
  if (search.few !== undefined || search.conditions.length === 0) return
  const few = await findFewMatches(search.db, search, 'all', { ...wantedRange, most: search.sortLimit })
  search.few = few ?? null
}
