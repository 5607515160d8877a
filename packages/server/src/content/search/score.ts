import { compareNaturally, compareText } from '@recto/lib/text/text-order.ts'
import { computeShare, NameMatcher } from './names.ts'
import type { SearchQuery } from './query.ts'
import type { CandidateRow, ScoredRow } from './store.ts'

/** The weights of the parts of a score; together 1. */
const SHARE = { text: 0.4, title: 0.3, whole: 0.15, links: 0.1, freshness: 0.05 }
/** The weights of the parts of a text score; together 1. */
const TEXT_SHARE = { density: 0.25, exact: 0.25, near: 0.3, headed: 0.2 }
/** The weight of the matched terms in a text score if some terms are optional. */
const COVERAGE_SHARE = 0.6
const DAY_MS = 86_400_000
/** Half-life of freshness in days. */
const HALF_LIFE_DAYS = 180
const MAX_LINKS = 50
/** Digits of a score, so that cursors do not depend on rounding. */
const UNIT = 1e6

/** A page with its score, and its path without versions. */
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
 * Scores texts by the proximity of the words and their place, and by words as written. Optional terms that are rare
 * among the pages weigh more (inverse document frequency).
 */
export function scoreTexts(rows: readonly ScoredRow[], neighbours: number): ScoredTexts {
  const terms = rows[0]?.met ?? []
  const weights = terms.map((_, term) => {
    const having = rows.filter(({ met }) => met?.[term]).length
    return Math.log1p(rows.length / Math.max(having, 1))
  })
  const pages = rows
    .map((row) => {
      const { space_id, page_id, met } = row
      const share = terms.length > 0 ? COVERAGE_SHARE : 0
      const coverage = computeShare(weights, (term) => met?.[term] ?? false)
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

/**
 * Sorts pages by their score: text, the best match of a name, links to the page, and freshness. Equal scores are sorted
 * by space and path, the latest version first.
 */
export function rankCandidates(
  { query, now }: { readonly query: SearchQuery; readonly now: Date },
  { pages, weights }: ScoredTexts,
  candidates: readonly CandidateRow[],
): Scored[] {
  const texts = new Map(pages.map(({ page_id, score }) => [page_id, score / UNIT]))
  const names = new NameMatcher(query, weights)
  return candidates
    .map((page) => {
      const name = names.match(page)
      const score =
        SHARE.text * (texts.get(page.page_id) ?? 0) +
        SHARE.title * name.score +
        SHARE.whole * (name.whole ? 1 : 0) +
        SHARE.links * (Math.log1p(page.links) / Math.log1p(MAX_LINKS)) +
        SHARE.freshness * freshness(page.updated_at, now)
      const general = withoutVersion(page.path)
      return { ...page, general, score: Math.min(Math.floor(score * UNIT), UNIT - 1) / UNIT }
    })
    .sort(compareRanked)
}

/** Between 0 and 1, by full days, so that it does not change between two pages of results. */
function freshness(updatedAt: Date, now: Date): number {
  const days = Math.floor(Math.max(0, now.getTime() - updatedAt.getTime()) / DAY_MS)
  return 2 ** (-days / HALF_LIFE_DAYS)
}

function compareRanked(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    compareText(a.space, b.space) ||
    compareText(a.general, b.general) ||
    compareNaturally(b.path, a.path) ||
    compareText(a.path, b.path)
  )
}

/** Names of folders that identify a version. */
const VERSION_NAMES = new Set(['latest', 'stable', 'current', 'next', 'nightly', 'dev'])
/** A version number in the name of a folder, such as `7.4`, `v2` or `python-3.12`. */
const VERSION_NUMBER = /(^|-)(?:v?\d+(?:\.\d+)+|v\d+)/g
/** Most paths have neither. */
const MAYBE_VERSION = new RegExp(`\\d\\.\\d|v\\d|(?:^|/)(?:${[...VERSION_NAMES].join('|')})/`)

function withoutVersion(path: string): string {
  const end = path.lastIndexOf('/')
  if (end < 0 || !MAYBE_VERSION.test(path)) return path
  const folders = path.slice(0, end).split('/')
  const general = folders.map((name) => (VERSION_NAMES.has(name) ? '*' : name.replace(VERSION_NUMBER, '$1*')))
  return general.join('/') + path.slice(end)
}

/** Collapses pages with one title whose paths differ in a version only into the first of them. */
export function* foldVersions<Page extends CandidateRow & { readonly general: string }>(
  pages: readonly Page[],
): Generator<Folded<Page>> {
  const isVersion = ({ general, path }: Page) => general !== path
  // No title and no path has a line feed.
  const toKey = ({ space_id, general, title }: Page) => `${space_id}\n${general}\n${title}`
  const groups = Map.groupBy(pages.filter(isVersion), toKey)
  for (const page of pages) {
    const [first, ...folded] = isVersion(page) ? (groups.get(toKey(page)) ?? []) : [page]
    if (first === page) yield { ...page, folded }
  }
}
