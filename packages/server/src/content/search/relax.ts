import { compareText } from '@recto/lib/text/text-order.ts'
import type { Db } from '../../platform/database/database.ts'
import { newestMatches } from './newest-matches.ts'
import { parseQuery, type SearchQuery } from './query.ts'
import { listSpellings, type Spelling } from './spelling.ts'
import type { Matching } from './store.ts'
import type { SearchedPages } from './store-templates.ts'
import { countTexts, type TextCount, unknownTexts } from './store-words.ts'
import type { QueryWord, Term } from './term.ts'
import { MAX_RELAXED, termText, wordText } from './tsquery.ts'

/** A part of a query and its replacement. */
type Correction = readonly [start: number, end: number, words: string]

/** An interpretation of a query. */
export interface Reading {
  readonly corrections: readonly Correction[]
  /** The number of terms that must match; 0: all. */
  readonly minimum: number
  /** Whether no page has all terms. */
  readonly relaxed: boolean
}

/** The query as written. */
export const AS_WRITTEN: Reading = { corrections: [], minimum: 0, relaxed: false }

interface Relaxing extends SearchedPages {
  readonly db: Db
  /** All page ids are lower. */
  readonly end: number
  /** The database query of an interpretation. */
  readonly toMatching: (query: SearchQuery, minimum: number) => Matching
}

const MAX_CORRECTIONS = 3
/** If this many pages have more of the words, pages with fewer are not searched. */
const ENOUGH = 100

/** The query under an interpretation. */
export function corrected(q: string, { corrections }: Pick<Reading, 'corrections'>): string {
  return corrections
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [start, end, words]) => text.slice(0, start) + words + text.slice(end), q)
}

/**
 * Another interpretation of a query without results: words are corrected to words of pages that the caller can read,
 * else fewer words are required; undefined if no page has any of them.
 */
export async function relax(search: Relaxing, q: string, query: SearchQuery): Promise<Reading | undefined> {
  const finds = async (corrections: readonly Correction[]) => {
    if (corrections.length === 0) return false
    const read = parseQuery(corrected(q, { corrections }), query.languages)
    return (await count(search, search.toMatching(read, 0), 1)) > 0
  }
  const joinedCorrections = await joinWords(search, query)
  if (await finds(joinedCorrections)) return { ...AS_WRITTEN, corrections: joinedCorrections }
  const corrections = await correct(search, query)
  const hasMatches = await finds(corrections)
  const read = parseQuery(corrected(q, { corrections }), query.languages)
  if (hasMatches && !read.isQuestion) return { ...AS_WRITTEN, corrections }
  const minimum = await mostTerms(search, read, hasMatches)
  return minimum === 0 && !hasMatches ? undefined : { corrections, minimum, relaxed: !hasMatches }
}

/** The optional terms; none for a query with alternatives. */
export function positiveTerms({ branches }: SearchQuery): readonly Term[] {
  const [terms = [], ...others] = branches
  return others.length > 0 ? [] : terms.filter(({ negative }) => !negative)
}

/**
 * The number of terms that a page must have so that enough pages are found: at least half of them, and two if pages
 * with all terms exist; otherwise fewer until a page is found. 0: all of them.
 */
export async function mostTerms(search: Relaxing, query: SearchQuery, isKnown: boolean): Promise<number> {
  const terms = Math.min(positiveTerms(query).length, MAX_RELAXED)
  const half = Math.ceil(terms / 2)
  let most = 0
  for (let minimum = terms - 1; minimum >= (isKnown ? Math.max(half, 2) : 1); minimum--) {
    if (most > 0 && minimum < half) break
    const enoughCount = await count(search, search.toMatching(query, minimum), ENOUGH)
    if (enoughCount > 0) most = minimum
    if (enoughCount >= ENOUGH) break
  }
  return most
}

/** The terms without quotes and exclusions. */
function plainTerms({ branches }: SearchQuery): readonly Term[] {
  return branches.flatMap((terms) => terms.filter(({ negative, quoted }) => !negative && !quoted))
}

async function count({ db, end }: Relaxing, matching: Matching, limit: number): Promise<number> {
  return (await newestMatches({ db, matching, tier: undefined, end, limit })).length
}

/** Corrections of adjacent words that pages have as one word, such as `self destruct`. */
async function joinWords(search: Relaxing, query: SearchQuery): Promise<Correction[]> {
  const pairs = plainTerms(query).flatMap((term, index, terms): Correction[] => {
    const [first, second] = [term.words, terms[index + 1]?.words ?? []]
    if (first.length !== 1 || second.length !== 1 || terms[index + 1]?.at !== term.at + 1) return []
    const [{ word = '', start = 0 } = {}] = first
    return second.map((next) => [start, next.end, word + next.word])
  })
  const unknownWords = new Set(
    await unknownTexts(
      search.db,
      search,
      pairs.map(([, , word]) => `'${word}'`),
    ),
  )
  const knownJoins = pairs.filter(([, , word]) => !unknownWords.has(`'${word}'`))
  return knownJoins.filter(([start], index) => start >= (knownJoins[index - 1]?.[1] ?? 0)).slice(0, MAX_CORRECTIONS)
}

/** Corrections of the words that no page of the spaces has in any form. */
async function correct(search: Relaxing, query: SearchQuery): Promise<Correction[]> {
  const terms = plainTerms(query)
  const words = terms.flatMap(({ words }) => words)
  const texts = words.map((word) => wordText(word, 'any'))
  const unknownWords = new Set(await unknownTexts(search.db, search, texts))
  const isKnown = (word: QueryWord) => !unknownWords.has(wordText(word, 'any'))
  const context = terms
    .filter(({ words }) => words.every(isKnown))
    .flatMap((term) => termText(term, 'any') ?? [])
    .join(' & ')
  const misspelt = words.filter((word) => !isKnown(word)).slice(0, MAX_CORRECTIONS)
  const options = misspelt.map(({ word }) => listSpellings(word))
  const counts = await countTexts(
    search.db,
    search,
    options.flat().map(({ text }) => text),
    context,
  )
  return misspelt.flatMap(({ start, end }, index): Correction[] => {
    const best = mostFrequent(options[index] ?? [], counts)
    return best === undefined ? [] : [[start, end, best]]
  })
}

/** The spelling with the most pages that also have the other words of the query, else with the most pages. */
function mostFrequent(options: readonly Spelling[], counts: ReadonlyMap<string, TextCount>): string | undefined {
  const [best] = options
    .flatMap((spelling) => {
      const countOfText = counts.get(spelling.text)
      return countOfText ? [{ ...spelling, ...countOfText }] : []
    })
    .sort(
      (a, b) =>
        b.likelihood * b.with_context - a.likelihood * a.with_context ||
        b.likelihood * b.pages - a.likelihood * a.pages ||
        compareText(a.words, b.words),
    )
  return best?.words
}
