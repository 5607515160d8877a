import { compareNaturally, compareText } from '@recto/lib/text/text-order.ts'
import { computeShare, NameMatcher } from './names.ts'
import type { SearchQuery } from './query.ts'
import type { CandidateRow, ScoredRow } from './store.ts'

/** The weights of the parts of a score; together 1. */
const SHARE = { text: 0.4, title: 0.3, whole: 0.15, links: 0.1, freshness: 0.05 }
/** Where words may be missing, links and freshness count as far as the text is about the query. */
const PARTIAL_SHARE = { text: 0.46, title: 0.19, whole: 0.21, links: 0.12, freshness: 0.02 }
/** The weights of the parts of a text score; together 1. */
const TEXT_SHARE = { density: 0.25, exact: 0.25, near: 0.3, headed: 0.2 }
const DAY_MS = 86_400_000
const HALF_LIFE_DAYS = 180
const MAX_LINKS = 50
/** Digits of a score, so that cursors do not depend on rounding. */
const UNIT = 1e6

/** A page with its score, and its path without versions. */
type Scored = CandidateRow & Pick<TextScore, 'score' | 'missing'> & { readonly general: string }

/** A page, with the same page in other documented versions. */
export type Folded<Page> = Page & { readonly folded: readonly CandidateRow[] }

/** The text score of a page, in millionths. */
interface TextScore {
  readonly space_id: number
  readonly page_id: number
  readonly score: number
  /** The optional terms that it lacks. */
  readonly missing: readonly number[]
}

/** Scores texts by the proximity of the words and their place, and by words as written. Sorts them, best first. */
export function scoreTexts(rows: readonly ScoredRow[], neighbours: number, weights: readonly number[]): TextScore[] {
  return rows
    .map((row) => {
      const { space_id, page_id, strengths = [] } = row
      const missing = strengths.flatMap((strength, term) => (strength > 0 ? [] : [term]))
      const close = closeness(row, Math.max(neighbours, 1))
      const score = strengths.length === 0 ? close : scoreTerms(row, weights, missing) + TERM_SHARE.closeness * close
      return { space_id, page_id, score: Math.round(UNIT * score), missing }
    })
    .sort((a, b) => b.score - a.score || b.page_id - a.page_id)
}

/** How soon further occurrences of a term add little, and by how much more in a long text (as k1 and b of BM25). */
const SATURATION = 0.15
const LENGTH_SHARE = 0.5
/** The usual number of different words of a page. */
const USUAL_LENGTH = 300
/** The weights of the parts of a text score where words may be missing; together 1. */
const TERM_SHARE = { terms: 0.7, coverage: 0.05, all: 0.05, closeness: 0.2 }

/** The share of a query that a text has, as BM25F: by the weights of the terms, their place and their number. */
function scoreTerms(
  { strengths = [], length = 0 }: ScoredRow,
  weights: readonly number[],
  missing: readonly number[],
): number {
  const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / USUAL_LENGTH)
  const terms = strengths.map((strength, term) => (weights[term] ?? 0) * (strength / (strength + norm)))
  const all = weights.reduce((sum, each) => sum + each, 0)
  return (
    TERM_SHARE.terms * (terms.reduce((sum, each) => sum + each, 0) / all) +
    TERM_SHARE.coverage * computeShare(weights, (term) => !missing.includes(term)) +
    TERM_SHARE.all * (missing.length === 0 ? 1 : 0)
  )
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

/** Sorts pages by text, the best match of a name, links to the page, and freshness; then by space and path. */
export function rankCandidates(
  { query, weights, now }: { readonly query: SearchQuery; readonly weights: readonly number[]; readonly now: Date },
  texts: readonly TextScore[],
  candidates: readonly CandidateRow[],
): Scored[] {
  const isPartial = weights.length > 0
  const share = isPartial ? PARTIAL_SHARE : SHARE
  const textById = new Map(texts.map((text) => [text.page_id, text]))
  const names = new NameMatcher(query, weights)
  return candidates
    .map((page) => {
      const name = names.match(page)
      const { score: textScore = 0, missing = [] } = textById.get(page.page_id) ?? {}
      const score =
        share.text * (textScore / UNIT) +
        share.title * name.score +
        share.whole * (name.whole ? 1 : 0) +
        (isPartial ? textScore / UNIT : 1) *
          (share.links * (Math.log1p(page.links) / Math.log1p(MAX_LINKS)) +
            share.freshness * freshness(page.updated_at, now))
      const general = withoutVersion(page.path)
      return { ...page, missing, general, score: Math.min(Math.floor(score * UNIT), UNIT - 1) / UNIT }
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
