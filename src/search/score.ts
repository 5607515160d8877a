import { maxOf } from '../lib/extremes.ts'
import { compareText } from '../lib/text-order.ts'
import type { SearchQuery } from './query.ts'
import { isStopWord } from './stop-words.ts'
import type { CandidateRow, ScoredRow } from './store.ts'
import type { QueryWord } from './term.ts'
import { wordsOf } from './words.ts'

/** The weights of the parts of a score; together 1. */
const SHARE = { text: 0.4, title: 0.3, whole: 0.15, links: 0.1, freshness: 0.05 }
const DAY_MS = 86_400_000
/** Half-life of freshness in days. */
const HALF_LIFE_DAYS = 180
const MAX_LINKS = 50
/** Digits of a score, so that cursors do not depend on rounding. */
const UNIT = 1e6

type Scored = CandidateRow & { readonly score: number }

/** A page, with the same page in other documented versions. */
export type Folded<Page> = Page & { readonly folded: readonly CandidateRow[] }

/**
 * * If some terms are optional, half of the text score depends on the matched terms: terms that are rare among the
 * ranked pages weigh more (inverse document frequency). Best first.
 */
export function byTerms(rows: readonly ScoredRow[]): readonly ScoredRow[] {
  const terms = rows[0]?.met ?? []
  if (terms.length === 0) return rows
  const worth = terms.map((_, term) => {
    const having = rows.filter(({ met }) => met[term]).length
    return Math.log1p(rows.length / Math.max(having, 1))
  })
  const all = worth.reduce((sum, each) => sum + each, 0)
  const scoreOf = ({ score, met }: ScoredRow) => {
    const own = worth.reduce((sum, each, term) => sum + (met[term] ? each : 0), 0)
    return Math.round(score / 2 + (UNIT / 2) * (own / all))
  }
  return rows
    .map((row) => ({ ...row, score: scoreOf(row) }))
    .sort((a, b) => b.score - a.score || b.page_id - a.page_id)
}

/**
 * * Sorts pages by their score: text, share of the title that the query covers, links to the page, and freshness. Equal
 * scores are sorted by space and path, the latest version first.
 */
export function rankCandidates(
  { query, now }: { readonly query: SearchQuery; readonly now: Date },
  scored: readonly ScoredRow[],
  candidates: readonly CandidateRow[],
): Scored[] {
  const texts = new Map(scored.map(({ page_id, score }) => [page_id, score / UNIT]))
  const words = query.branches.flatMap((terms) => terms.filter(({ negative }) => !negative))
  const asked = { query, words: words.flatMap((term) => term.words), name: words.map(nameOf).join('') }
  return candidates
    .map((page): Scored => {
      const score =
        SHARE.text * (texts.get(page.page_id) ?? 0) +
        SHARE.title * titleScore(page, asked) +
        SHARE.whole * (namesOf(page).includes(asked.name) ? 1 : 0) +
        SHARE.links * (Math.log1p(page.links) / Math.log1p(MAX_LINKS)) +
        SHARE.freshness * freshness(page.updated_at, now)
      return { ...page, score: Math.min(Math.floor(score * UNIT), UNIT - 1) / UNIT }
    })
    .sort(compareScored)
}

function nameOf({ words }: { readonly words: readonly { readonly word: string }[] }): string {
  return words.map(({ word }) => word).join('')
}

/** The title, the path and its last part, each as one word. */
function namesOf({ title, path }: CandidateRow): string[] {
  return [title, path, path.slice(path.lastIndexOf('/') + 1)].map((name) => nameOf({ words: wordsOf(name) }))
}

/** The share of the title that the query covers, and the share of the query that the title covers. */
function titleScore(
  { title }: CandidateRow,
  { query, words }: { readonly query: SearchQuery; readonly words: readonly QueryWord[] },
): number {
  const all = wordsOf(title).map(({ word }) => word)
  const telling = all.filter((word) => !isStopWord(word, query.languages))
  const named = telling.length > 0 ? telling : all
  if (named.length === 0 || words.length === 0) return 0
  const likeness = (word: string) => maxOf(words.map((asked) => likenessOf(asked, word)))
  const covered = named.reduce((sum, word) => sum + likeness(word), 0) / named.length
  const met = words.filter((asked) => named.some((word) => likenessOf(asked, word) > 0)).length / words.length
  return covered * met
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

function compareScored(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    compareText(a.space, b.space) ||
    compareText(withoutVersion(a.path), withoutVersion(b.path)) ||
    b.path.localeCompare(a.path, 'en', { numeric: true }) ||
    compareText(a.path, b.path)
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
export function foldVersions<Page extends CandidateRow>(pages: readonly Page[]): Folded<Page>[] {
  const groups = Map.groupBy(pages, ({ space_id, path, title }) =>
    JSON.stringify([space_id, withoutVersion(path), withoutVersion(path) === path ? '' : title]),
  )
  return [...groups.values()].flatMap(([first, ...folded]) => (first ? [{ ...first, folded }] : []))
}
