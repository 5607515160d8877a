import type { Ctx } from '../access/ctx.ts'
import { newestMatches } from './newest-matches.ts'
import type { SearchQuery } from './query.ts'
import { type Folded, foldVersions, rankCandidates, scoreTexts } from './score.ts'
import {
  type CandidateRow,
  columnsOf,
  MAX_SMALL,
  type Matching,
  type PageKey,
  readCandidates,
  type Scoring,
  scoreMatches,
  type TextMatchRow,
  type Tier,
} from './store.ts'

export interface Ranking {
  readonly db: Ctx['db']
  readonly query: SearchQuery
  readonly matching: Matching
  readonly scoring: Scoring
  /** The spaces that the caller can read: links from their pages count. */
  readonly readable: readonly number[]
  /** All page ids are lower. */
  readonly end: number
  /** The number of matches in a block. */
  readonly block: number
  readonly now: Date
}

/**
 * The position in a cursor: a block, and the pages that were shown, which are not repeated even if they have changed.
 */
export interface Progress {
  readonly tier: Tier
  readonly from: number
  /** Pages of this block that were shown. */
  readonly ofBlock: readonly number[]
  /** Earlier shown pages that could be repeated in another tier. */
  readonly earlier: readonly number[]
}

/** A hit, with the pages that are collapsed into it. */
export interface Ranked extends Folded<CandidateRow & { readonly score: number }> {
  readonly tier: Tier
  /** All ids of its block are lower. */
  readonly from: number
}

/** The number of matches that are ranked by their text, which takes some tens of milliseconds. */
export const BLOCK = 1_000
/** The number of matches of a block that are ranked together by their full score. */
const GROUP = 200
export const TIERS: readonly Tier[] = ['title', 'rest']

/**
 * Ranks block after block of both tiers until there are enough hits. Within a block, pages are sorted by the score of
 * their text; groups of 200 in this order are sorted by their full score.
 */
export async function listRanked(search: Ranking, progress: Progress, limit: number): Promise<Ranked[]> {
  const blockOf = await blockReader(search)
  const shown = new Set([...progress.ofBlock, ...progress.earlier])
  const found: Ranked[] = []
  for (const tier of TIERS.slice(TIERS.indexOf(progress.tier))) {
    let from: number | undefined = tier === progress.tier ? progress.from : search.end
    while (from !== undefined && found.length < limit) {
      const pages = await blockOf(tier, from)
      for await (const group of groupsOf(search, pages, shown)) {
        for (const hit of group) {
          for (const page of [hit, ...hit.folded]) shown.add(page.page_id)
          found.push({ ...hit, tier, from })
        }
        if (found.length >= limit) break
      }
      from = pages.length < search.block ? undefined : pages.at(-1)?.page_id
    }
  }
  return found.slice(0, limit)
}

/** The pages of a block that were not shown, ranked group by group. */
async function* groupsOf(search: Ranking, pages: readonly PageKey[], shown: ReadonlySet<number>) {
  if (pages.every((page) => shown.has(page.page_id))) return
  const { scoring } = search
  const texts = scoreTexts(await scoreMatches(search.db, scoring, pages), scoring.neighbours.length)
  for (let at = 0; at < texts.pages.length; at += GROUP) {
    const group = texts.pages.slice(at, at + GROUP).filter((page) => !shown.has(page.page_id))
    if (group.length === 0) continue
    const candidates = await readCandidates.all(search.db, { ...columnsOf(group), readable: search.readable })
    yield foldVersions(rankCandidates(search, { ...texts, pages: group }, candidates))
  }
}

/**
 * Reads the block of a tier below a page id: its newest matches. Usually both tiers together fit into one block, or the
 * spaces are small, and one search finds them all.
 */
async function blockReader(
  search: Ranking,
): Promise<(tier: Tier, from: number) => Promise<readonly TextMatchRow[]>> {
  const { db, matching, block: limit } = search
  const most = matching.small ? MAX_SMALL : limit
  const few = await newestMatches({ db, matching, tier: undefined, end: search.end, limit: most })
  if (few.length >= most) return (tier, end) => newestMatches({ db, matching, tier, end, limit })
  return async (tier, from) =>
    few.filter((match) => match.page_id < from && match.in_title === (tier === 'title')).slice(0, limit)
}
