import { isWithinEdits } from '@recto/lib/text/edits.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import { newestMatches } from './newest-matches.ts'
import { parseQuery, type SearchQuery } from './query.ts'
import type { Matching } from './store.ts'
import { countTexts, listWords, type TextCount, unknownTexts } from './store-words.ts'
import type { QueryWord, Term } from './term.ts'
import { termText, wordText } from './tsquery.ts'
import type { Weighing } from './weights.ts'

/** A part of a query and its replacement. */
export type Correction = readonly [start: number, end: number, words: string]

interface Correcting extends Weighing {
  /** The database query of a corrected one. */
  readonly toMatching: (query: SearchQuery) => Matching
}

const MAX_CORRECTIONS = 3

/** The query with corrections. */
export function corrected(q: string, corrections: readonly Correction[]): string {
  return corrections
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [start, end, words]) => text.slice(0, start) + words + text.slice(end), q)
}

/** Corrections of a query without results, by words of pages that the caller can read. */
export async function correctQuery(search: Correcting, q: string, query: SearchQuery): Promise<readonly Correction[]> {
  const joinedCorrections = await joinWords(search, query)
  if (joinedCorrections.length > 0) {
    const read = parseQuery(corrected(q, joinedCorrections), query.languages)
    const { db, end } = search
    const matching = search.toMatching(read)
    if ((await newestMatches({ db, matching, tier: undefined, end, limit: 1 })).length > 0) return joinedCorrections
  }
  return correctWords(search, query)
}

/** The terms without quotes and exclusions. */
function plainTerms({ branches }: SearchQuery): readonly Term[] {
  return branches.flatMap((terms) => terms.filter(({ negative, quoted }) => !negative && !quoted))
}

/** Corrections of adjacent words that pages have as one word, such as `self destruct`. */
async function joinWords(search: Correcting, query: SearchQuery): Promise<Correction[]> {
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
async function correctWords(search: Correcting, query: SearchQuery): Promise<Correction[]> {
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
  const options = await Promise.all(
    misspelt.map(async ({ word }) => [...listSpellings(word), ...(await listDistantSpellings(search, word))]),
  )
  const counts = await countTexts(
    search.db,
    search,
    options.flat().map(({ text }) => text),
    { context },
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

/** Shorter words are like too many others. */
const MIN_LETTERS = 8
const MAX_EDITS = 2
/** The maximum of pages whose words are compared. */
const PAGES = 200
/** The likelihood of two mistakes, relative to one. */
const LIKELIHOOD = 0.01

/** The words that differ from a long one by two letters, of the newest pages with a word that begins alike. */
async function listDistantSpellings(search: Weighing, word: string): Promise<readonly Spelling[]> {
  const [a = '', b = '', c = '', d = '', ...rest] = word
  if (4 + rest.length < MIN_LETTERS || !WORD.test(word)) return []
  // As it was typed, with two letters transposed, and without one.
  const query = [a + b + c, a + c + b, a + b + d, a + c + d].map((beginning) => `'${beginning}':*`).join(' | ')
  const { db, end, condition } = search
  const matching = { ...search, query, prefilter: undefined, negative: false, condition }
  const pages = await newestMatches({ db, matching, tier: undefined, ordered: true, end, limit: PAGES })
  const words = await listWords(db, pages, a)
  return words
    .filter((other) => WORD.test(other) && isWithinEdits(word, other, MAX_EDITS))
    .map((other) => ({ words: other, text: `'${other}':AC`, likelihood: LIKELIHOOD }))
}

/** The alphabets from which replacement letters are taken. */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
]
/** A word that is corrected. */
const WORD = /^[\p{L}\p{M}]{3,32}$/u

/** A candidate for the correction of a word. */
interface Spelling {
  readonly words: string
  /** The `tsquery`: weights distinguish words of titles (A) and texts (C) from stems, which have other weights. */
  readonly text: string
  /** The likelihood of the mistake, relative to others. */
  readonly likelihood: number
}

const WRONG_FIRST_LETTER = 0.1
const MIN_PART = 2

/** The candidates for a misspelt word: words that differ by one letter, and pairs of words that it joins. */
function listSpellings(word: string): readonly Spelling[] {
  const letters = [...word]
  const alike = differingByOne(word, letters).map((words) => ({
    words,
    text: `'${words}':AC`,
    likelihood: words[0] === word[0] ? 1 : WRONG_FIRST_LETTER,
  }))
  const ends = WORD.test(word) ? letters.slice(MIN_PART, 1 - MIN_PART).keys() : []
  const parts = Array.from(ends, (at) => [
    letters.slice(0, at + MIN_PART).join(''),
    letters.slice(at + MIN_PART).join(''),
  ])
  const split = parts.map(([first, second]) => ({
    words: `${first} ${second}`,
    text: `('${first}':AC <-> '${second}':AC)`,
    likelihood: 1,
  }))
  return [...alike, ...split]
}

/**
 * The words at Damerau-Levenshtein distance 1 from a misspelt one: one letter inserted, deleted or replaced, or two
 * neighbours transposed. None for a word with digits, or in a script without letters.
 */
function differingByOne(word: string, letters: readonly string[]): readonly string[] {
  const alphabet = ALPHABETS.find((alphabet) => alphabet.includes(letters[0] ?? ''))
  if (alphabet === undefined || !WORD.test(word)) return []
  const spellings = new Set<string>()
  for (let at = 0; at <= letters.length; at++) {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at)]
    const [first = '', second = '', ...rest] = after
    if (after.length > 0) spellings.add(before + after.slice(1).join(''))
    if (after.length > 1) spellings.add(before + second + first + rest.join(''))
    for (const letter of alphabet) {
      spellings.add(before + letter + after.join(''))
      if (after.length > 0) spellings.add(before + letter + after.slice(1).join(''))
    }
  }
  spellings.delete(word)
  return [...spellings].filter((spelling) => WORD.test(spelling))
}
