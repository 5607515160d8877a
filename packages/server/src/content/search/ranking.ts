import type { Ctx } from '../../access/ctx.ts'
import { MAX_CHECKED, newestMatches } from './newest-matches.ts'
import type { SearchQuery } from './query.ts'
import { type Folded, foldVersions, rankCandidates, scoreTexts } from './score.ts'
import * as store from './store.ts'
import { dropHidden } from './store-found.ts'

export interface Ranking {
  readonly db: Ctx['db']
  readonly query: SearchQuery
  readonly matching: store.Matching
  readonly scoring: store.Scoring
  /** The weights of the optional terms; empty: all are required. */
  readonly weights: readonly number[]
  /** The spaces that the caller can read: links from their pages count. */
  readonly readable: readonly number[]
  /** The places in them that are hidden: links from pages there do not count. */
  readonly hidden: string | null
  /** All page ids are lower. */
  readonly end: number
  /** The number of matches in a block. */
  readonly block: number
  readonly now: Date
}

/** The position in a cursor: a block, and the pages that were shown, which are never repeated. */
export interface Progress {
  readonly tier: store.Tier
  readonly from: number
  /** Pages of this block that were shown. */
  readonly ofBlock: readonly number[]
  /** Earlier shown pages that could be repeated in another tier. */
  readonly earlier: readonly number[]
}

/** A hit, with the pages that are collapsed into it. */
export interface Ranked
  extends Folded<store.CandidateRow & { readonly score: number; readonly missing: readonly number[] }> {
  readonly tier: store.Tier
  /** All ids of its block are lower. */
  readonly from: number
}

/** The number of matches that are ranked by their text, which takes some tens of milliseconds. */
export const BLOCK = 1_000
/** The number of matches of a block that are ranked together by their full score. */
const GROUP = 200
export const TIERS: readonly store.Tier[] = ['title', 'rest']

/**
 * Ranks block after block of both tiers until there are enough hits. Within a block, pages are sorted by the score of
 * their text; groups of 200 in this order are sorted by their full score.
 */
export async function listRanked(
  search: Ranking,
  { readBlock, few }: Matches,
  progress: Progress,
  limit: number,
): Promise<Ranked[]> {
  const read = factorReader(search, few && needsBoth(few, progress, limit) ? few : undefined)
  const shownIds = new Set([...progress.ofBlock, ...progress.earlier])
  const rankedPages: Ranked[] = []
  for (const tier of TIERS.slice(TIERS.indexOf(progress.tier))) {
    let from: number | undefined = tier === progress.tier ? progress.from : search.end
    while (from !== undefined && rankedPages.length < limit) {
      const pages = await readBlock(tier, from)
      for await (const group of rankGroups(search, read, pages, shownIds)) {
        for (const hit of group) {
          for (const page of [hit, ...hit.folded]) shownIds.add(page.page_id)
          rankedPages.push({ ...hit, tier, from })
          if (rankedPages.length >= limit) return rankedPages
        }
      }
      from = pages.length < search.block ? undefined : pages.at(-1)?.page_id
    }
  }
  return rankedPages
}

/** What pages are ranked by. */
interface FactorReader {
  readonly texts: (pages: readonly store.TextMatchRow[]) => Promise<readonly store.ScoredRow[]>
  readonly candidates: (pages: readonly store.PageKey[]) => Promise<readonly store.CandidateRow[]>
}

/** Whether all matches are one group, and those in titles alone do not fill the page: then both tiers are read. */
function needsBoth(few: readonly store.TextMatchRow[], { tier }: Progress, limit: number): boolean {
  return few.length <= GROUP && (tier === 'rest' || few.filter(({ in_title }) => in_title).length < limit)
}

/** Reads the factors of pages; those of `all` at once, with both statements at the same time. */
function factorReader(search: Ranking, all: readonly store.TextMatchRow[] | undefined): FactorReader {
  const { db, scoring, readable, hidden } = search
  const texts = async (pages: readonly store.TextMatchRow[]) => {
    const [scored, others] = [pages.filter(isScored), pages.filter((page) => !isScored(page))]
    return others.length === 0 ? scored : [...scored, ...(await store.scoreMatches(db, scoring, others))]
  }
  const candidates = (pages: readonly store.PageKey[]) =>
    store.readCandidates.all(db, { ...store.toColumns(pages), readable, hidden })
  if (!all || all.length === 0) return { texts, candidates }
  const read = Promise.all([texts(all), candidates(all)])
  const ofPages = <Row extends store.PageKey>(rows: readonly Row[], pages: readonly store.PageKey[]) => {
    const ids = new Set(pages.map(({ page_id }) => page_id))
    return rows.filter(({ page_id }) => ids.has(page_id))
  }
  return {
    texts: async (pages) => ofPages((await read)[0], pages),
    candidates: async (pages) => ofPages((await read)[1], pages),
  }
}

function isScored(match: store.TextMatchRow): match is store.TextMatchRow & store.ScoredRow {
  return match.density != null // null: there were too many of them
}

/** The pages of a block that were not shown, ranked group by group. */
async function* rankGroups(
  search: Ranking,
  read: FactorReader,
  pages: readonly store.TextMatchRow[],
  shownIds: ReadonlySet<number>,
) {
  if (pages.every((page) => shownIds.has(page.page_id))) return
  const texts = scoreTexts(await read.texts(pages), search.scoring.neighbours.length, search.weights)
  for (let at = 0; at < texts.length; at += GROUP) {
    const group = texts.slice(at, at + GROUP).filter((page) => !shownIds.has(page.page_id))
    if (group.length === 0) continue
    yield foldVersions(rankCandidates(search, group, await read.candidates(group)))
  }
}

/** The matches of a query. */
export interface Matches {
  /** The block of a tier below a page id: its newest matches. */
  readonly readBlock: (tier: store.Tier, from: number) => Promise<readonly store.TextMatchRow[]>
  /** All matches of both tiers. */
  readonly few: readonly store.TextMatchRow[] | undefined
}

/** The pages that have all words. Usually both tiers fit into one block, and one search finds them all. */
export async function findMatches(search: Ranking): Promise<Matches> {
  const { db, matching, scoring, block: limit } = search
  const most = matching.small ? store.MAX_SMALL : limit
  const find = (tier: store.Tier | undefined, end: number, limit: number, matches: 'all' | 'rare') =>
    newestMatches({ db, matching, tier, end, limit, scored: { scoring, matches } })
  const few = await find(undefined, search.end, most, 'rare')
  if (few.length >= most) return { readBlock: (tier, end) => find(tier, end, limit, 'all'), few: undefined }
  return toMatches(search, few, matching.hidden === null || few.length <= MAX_CHECKED)
}

function toMatches(search: Ranking, few: readonly store.TextMatchRow[], isChecked: boolean): Matches {
  const readBlock = async (tier: store.Tier, from: number) => {
    const matches = few.filter((match) => match.page_id < from && match.in_title === (tier === 'title'))
    return isChecked ? matches.slice(0, search.block) : firstVisible(search, matches, search.block)
  }
  return { readBlock, few }
}

/** With so many pages that have all words, pages that lack some are not searched; nor are more of those. */
export const ENOUGH = 200
/** The shares of the weight of a query that a page must have: the first one that fewer pages than enough have. */
const SHARES = [0.1, 0.25, 0.4, 0.55, 0.7, 0.85]

/** The few pages that have all words, and at most 200 of those that have most of their weight. */
export async function addPartial(
  full: readonly store.TextMatchRow[],
  toRanking: (least: number) => Ranking,
  [least = 1, ...larger]: readonly number[] = SHARES,
): Promise<{ readonly ranking: Ranking; readonly matches: Matches }> {
  const ranking = toRanking(least)
  const { db, matching, scoring, end, block } = ranking
  const limit = Math.min(ENOUGH, block)
  const isLast = larger.length === 0
  const order = { tier: undefined, ordered: isLast }
  const rows = await newestMatches({ db, matching, ...order, end, limit, scored: { scoring, matches: 'all' } })
  if (rows.length >= limit && !isLast) return addPartial(full, toRanking, larger)
  const ids = new Set(rows.map(({ page_id }) => page_id))
  const titledIds = new Set(full.filter(({ in_title }) => in_title).map(({ page_id }) => page_id))
  const few = [...full.filter(({ page_id }) => !ids.has(page_id)).map(withoutScore), ...rows]
    .map((row) => ({ ...row, in_title: titledIds.has(row.page_id) }))
    .sort((a, b) => b.page_id - a.page_id)
  return { ranking, matches: toMatches(ranking, few, true) }
}

/** A match that is to be scored by another query. */
function withoutScore({ space_id, page_id, in_title, name_words }: store.TextMatchRow): store.TextMatchRow {
  return { space_id, page_id, in_title, name_words }
}

/** The first pages that are not at a hidden place. */
async function firstVisible(
  { db, matching }: Ranking,
  pages: readonly store.TextMatchRow[],
  limit: number,
): Promise<readonly store.TextMatchRow[]> {
  const visiblePages: store.TextMatchRow[] = []
  for (let at = 0; at < pages.length && visiblePages.length < limit; at += limit) {
    for (const page of await dropHidden(db, matching.hidden, pages.slice(at, at + limit))) visiblePages.push(page)
  }
  return visiblePages.slice(0, limit)
}
