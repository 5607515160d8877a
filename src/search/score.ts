import { maxOf } from '../lib/extremes.ts'
import { compareNaturally, compareText } from '../lib/text/text-order.ts'
import type { SearchQuery } from './query.ts'
import { isStopWord } from './stop-words.ts'
import type { CandidateRow, ScoredRow } from './store.ts'
import type { QueryWord } from './term.ts'
import { wordsOf } from './words.ts'

/** The weights of the parts of a score; together 1. */
const SHARE = { text: 0.4, title: 0.3, whole: 0.15, links: 0.1, freshness: 0.05 }
/** The weights of the parts of a text score; together 1. */
const TEXT_SHARE = { density: 0.25, exact: 0.25, near: 0.3, headed: 0.2 }
/** The weight of the matched terms in a text score if some terms are optional. */
const COVERAGE_SHARE = 0.6
/** The weight of parts of the title and of the path, relative to the title. */
const LESSER_NAME = 0.9
const DAY_MS = 86_400_000
/** Half-life of freshness in days. */
const HALF_LIFE_DAYS = 180
const MAX_LINKS = 50
/** Digits of a score, so that cursors do not depend on rounding. */
const UNIT = 1e6

type Scored = CandidateRow & { readonly score: number; readonly general: string }

/** A page, with the same page in other documented versions. */
export type Folded<Page> = Page & { readonly folded: readonly CandidateRow[] }

/** The text score of a page, in millionths. */
interface TextScore {
  readonly space_id: number
  readonly page_id: number
  readonly score: number
}

/** Pages by their text score, best first, and the weights of optional terms. */
export interface ScoredTexts {
  readonly pages: readonly TextScore[]
  readonly weights: readonly number[]
}

/**
 * Scores texts by the proximity of the words and their place, and by words as written. Optional terms that are rare among
 * the pages weigh more (inverse document frequency).
 */
export function scoreTexts(rows: readonly ScoredRow[], neighbours: number): ScoredTexts {
  const terms = rows[0]?.met ?? []
  const weights = terms.map((_, term) => {
    const having = rows.filter(({ met }) => met[term]).length
    return Math.log1p(rows.length / Math.max(having, 1))
  })
  const pages = rows
    .map(({ space_id, page_id, ...row }) => {
      const share = terms.length > 0 ? COVERAGE_SHARE : 0
      const coverage = shareOf(weights, (term) => row.met[term] ?? false)
      const score = share * coverage + (1 - share) * closeness(row, Math.max(neighbours, 1))
      return { space_id, page_id, score: Math.round(UNIT * score) }
    })
    .sort((a, b) => b.score - a.score || b.page_id - a.page_id)
  return { pages, weights }
}

function closeness(
  { density, exact, near, headed }: Pick<ScoredRow, 'density' | 'exact' | 'near' | 'headed'>,
  neighbours: number,
): number {
  return (
    TEXT_SHARE.density * density +
    TEXT_SHARE.exact * (exact ? 1 : 0) +
    TEXT_SHARE.near * (near / neighbours) +
    TEXT_SHARE.headed * (headed / neighbours)
  )
}

function shareOf(weights: readonly number[], isMet: (index: number) => boolean): number {
  const all = weights.reduce((sum, each) => sum + each, 0)
  return all === 0 ? 0 : weights.reduce((sum, each, index) => sum + (isMet(index) ? each : 0), 0) / all
}

/**
 * Sorts pages by their score: text, the best match of a name, links to the page, and freshness. Equal scores are sorted by
 * space and path, the latest version first.
 */
export function rankCandidates(
  { query, now }: { readonly query: SearchQuery; readonly now: Date },
  { pages, weights }: ScoredTexts,
  candidates: readonly CandidateRow[],
): Scored[] {
  const texts = new Map(pages.map(({ page_id, score }) => [page_id, score / UNIT]))
  const queryWords = queryWordsOf(query, weights)
  return candidates
    .map((page) => {
      const names = namesOf(page, query.languages)
      const score =
        SHARE.text * (texts.get(page.page_id) ?? 0) +
        SHARE.title * maxOf(names.map((name) => nameScore(name, queryWords))) +
        SHARE.whole * (names.some(({ words }) => words.join('') === queryWords.name) ? 1 : 0) +
        SHARE.links * (Math.log1p(page.links) / Math.log1p(MAX_LINKS)) +
        SHARE.freshness * freshness(page.updated_at, now)
      const general = withoutVersion(page.path)
      return { page, general, score: Math.min(Math.floor(score * UNIT), UNIT - 1) / UNIT }
    })
    .sort(compareRanked)
    .map(({ page, general, score }) => ({ ...page, general, score }))
}

/** The words of a query with their weights, and all of them joined. */
interface QueryWords {
  readonly words: readonly QueryWord[]
  readonly weights: readonly number[]
  readonly name: string
}

function queryWordsOf({ branches }: SearchQuery, weights: readonly number[]): QueryWords {
  const terms = branches.flatMap((terms) => terms.filter(({ negative }) => !negative))
  const words = terms.flatMap(({ words }, term) =>
    words.map((word) => ({ word, weights: weights[term] ?? 1 })),
  )
  return {
    words: words.map(({ word }) => word),
    weights: words.map(({ weights }) => weights),
    name: words.map(({ word }) => word.word).join(''),
  }
}

/** The words of a name of a page, and its weight. */
interface Name {
  readonly words: readonly string[]
  readonly share: number
}

const TITLE_PARTS = /[:;|()\u2013\u2014]|\s-\s/
/** Index pages, which are named after their folder. */
const INDEX_NAME = /\/(?:index|readme)$/i

/** The title and its parts, the path and its last two segments. */
function namesOf({ title, path }: CandidateRow, languages: readonly string[]): Name[] {
  const parts = title.split(TITLE_PARTS)
  const segments = path.replace(INDEX_NAME, '').split('/')
  const paths = [segments, segments.slice(-2), segments.slice(-1)].map((some) => some.join('/'))
  const names = [title, ...(parts.length > 1 ? parts : []), ...new Set(paths)]
  return names.map((name, index) => {
    const words = wordsOf(name).map(({ word }) => word)
    const significant = words.filter((word) => !isStopWord(word, languages))
    return { words: significant.length > 0 ? significant : words, share: index === 0 ? 1 : LESSER_NAME }
  })
}

/** The share of the name that the query covers, times the share of the query that the name covers. */
function nameScore({ words, share }: Name, query: QueryWords): number {
  if (words.length === 0 || query.words.length === 0) return 0
  const met = new Set<number>()
  let covered = 0
  for (const word of words) {
    let best = 0
    for (const [index, queryWord] of query.words.entries()) {
      const likeness = likenessOf(queryWord, word)
      if (likeness > 0) met.add(index)
      if (likeness > best) best = likeness
    }
    covered += best
  }
  return covered === 0
    ? 0
    : share * (covered / words.length) * shareOf(query.weights, (index) => met.has(index))
}

function likenessOf({ word, stems, parts, prefix }: QueryWord, other: string): number {
  if (word === other) return 1
  if (parts.some((part) => part.word === other)) return 0.9
  if (stems.some((stem) => other.startsWith(stem) && other.length - stem.length <= 4)) return 0.8
  return prefix && other.startsWith(word) ? 0.5 : 0
}

/** Between 0 and 1, by full days, so that it does not change between two pages of results. */
function freshness(updatedAt: Date, now: Date): number {
  const days = Math.floor(Math.max(0, now.getTime() - updatedAt.getTime()) / DAY_MS)
  return 2 ** (-days / HALF_LIFE_DAYS)
}

/** A page with its score, and its path without versions. */
interface RankedPage {
  readonly page: CandidateRow
  readonly general: string
  readonly score: number
}

function compareRanked(a: RankedPage, b: RankedPage): number {
  return (
    b.score - a.score ||
    compareText(a.page.space, b.page.space) ||
    compareText(a.general, b.general) ||
    compareNaturally(b.page.path, a.page.path) ||
    compareText(a.page.path, b.page.path)
  )
}

/** Names of folders that identify a version. */
const VERSION_NAMES = new Set(['latest', 'stable', 'current', 'next', 'nightly', 'dev'])
/** A version number in the name of a folder, such as `7.4`, `v2` or `python-3.12`. */
const VERSION_NUMBER = /(^|-)(?:v?\d+(?:\.\d+)+|v\d+)/g

function withoutVersion(path: string): string {
  const end = path.lastIndexOf('/')
  if (end < 0) return path
  const folders = path.slice(0, end).split('/')
  const general = folders.map((name) => (VERSION_NAMES.has(name) ? '*' : name.replace(VERSION_NUMBER, '$1*')))
  return general.join('/') + path.slice(end)
}

/** Collapses pages with one title whose paths differ in a version only into the first of them. */
export function foldVersions<Page extends CandidateRow & { readonly general: string }>(
  pages: readonly Page[],
): Folded<Page>[] {
  // No path and no title has a line feed.
  const groups = Map.groupBy(pages, ({ space_id, path, title, general }) =>
    general === path ? `${space_id}\n${path}` : `${space_id}\n${general}\n${title}`,
  )
  return [...groups.values()].flatMap(([first, ...folded]) => (first ? [{ ...first, folded }] : []))
}
