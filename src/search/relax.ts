import type { Db } from '../database/database.ts'
import { firstIdRange } from './id-ranges.ts'
import { newestMatches } from './newest-matches.ts'
import { parseQuery, type SearchQuery } from './query.ts'
import { spellings } from './spelling.ts'
import type { Matching } from './store.ts'
import { countWords, unknownTexts } from './store-words.ts'
import type { Term } from './term.ts'
import { wordText } from './tsquery.ts'

/** A word of a query that is replaced by another one. */
export type Correction = readonly [start: number, end: number, word: string]

/** An interpretation of a query: corrections, and the number of terms that must match (0: all). */
export interface Reading {
  readonly corrections: readonly Correction[]
  readonly minimum: number
}

/** The word as written. */
export const AS_WRITTEN: Reading = { corrections: [], minimum: 0 }

interface Relaxing {
  readonly db: Db
  /** All page ids are lower. */
  readonly end: number
  readonly spaceIds: readonly number[]
  /** The database query of an interpretation. */
  readonly matchingOf: (query: SearchQuery, minimum: number) => Matching
}

const MAX_CORRECTIONS = 3
/** If this many pages have more of the words, pages with fewer are not searched. */
const ENOUGH = 10

/** The query under an interpretation. */
export function corrected(q: string, { corrections }: Reading): string {
  return corrections
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [start, end, word]) => text.slice(0, start) + word + text.slice(end), q)
}

/**
 * * Another interpretation of a query without results: unknown words are corrected to words of pages that the caller
 * can read, else fewer words are required; undefined if no page has any of them.
 */
export async function relax(search: Relaxing, q: string, query: SearchQuery): Promise<Reading | undefined> {
  const { matchingOf } = search
  const corrections = await correct(search, query)
  const reading = { corrections, minimum: 0 }
  const read = corrections.length === 0 ? query : parseQuery(corrected(q, reading), query.languages)
  if (corrections.length > 0 && (await count(search, matchingOf(read, 0), 1)) > 0) return reading
  const terms = positiveTerms(read).length
  let best: Reading | undefined
  for (let minimum = terms - 1; minimum >= 1; minimum--) {
    const found = await count(search, matchingOf(read, minimum), ENOUGH)
    if (found > 0) best = { corrections, minimum }
    if (found >= ENOUGH || (best && minimum <= terms / 2 + 0.5)) break
  }
  return best
}

/** The optional terms; none for a query with alternatives. */
export function positiveTerms({ branches }: SearchQuery): readonly Term[] {
  const [terms = [], ...others] = branches
  return others.length > 0 ? [] : terms.filter(({ negative }) => !negative)
}

async function count({ db, end }: Relaxing, matching: Matching, limit: number): Promise<number> {
  return (await newestMatches({ db, matching, tier: undefined, end, limit })).length
}

/** Corrections of the words that no page of the spaces has in any form. */
async function correct({ db, end, spaceIds }: Relaxing, query: SearchQuery): Promise<Correction[]> {
  const words = query.branches
    .flatMap((terms) => terms.filter(({ negative, quoted }) => !negative && !quoted))
    .flatMap(({ words }) => words)
  const unknown = new Set(
    await unknownTexts(
      db,
      spaceIds,
      words.map((word) => wordText(word, 'any')),
    ),
  )
  const found: Correction[] = []
  for (const word of words.filter((word) => unknown.has(wordText(word, 'any'))).slice(0, MAX_CORRECTIONS)) {
    const options = spellings(word.word)
    if (options.length === 0) continue
    // The newest pages show which words are frequent; a rare one may be on older pages only.
    const [frequent] = await countWords(db, spaceIds, options, firstIdRange(end))
    const [best] = frequent === undefined ? await countWords(db, spaceIds, options, undefined) : [frequent]
    if (best !== undefined) found.push([word.start, word.end, best])
  }
  return found
}
