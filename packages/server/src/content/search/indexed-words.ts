import { createRequire } from 'node:module'
import type { Language } from '@recto/lib/languages.ts'
import { Lexeme } from './vector.ts'
import { foldWord, splitParts } from './words.ts'

/** The Snowball algorithm of each language. */
const ALGORITHMS: Readonly<Record<Exclude<Language, 'none'>, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  de: 'german',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hu: 'hungarian',
  hy: 'armenian',
  it: 'italian',
  nb: 'norwegian',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sl: 'slovene',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
}

/** Reduces a word, as `foldWord` returns it, to its stem; a word without one to itself. */
export type Stem = (word: string) => string

interface Snowball {
  newStemmer(algorithm: string): { stem(word: string): string }
}

const require = createRequire(import.meta.url)
/** Cached stems for each language: they cover most words of a text, and computing a stem takes microseconds. */
const MAX_KEPT = 50_000
const stemmers = new Map<string, Stem>()
/** Words with digits, and longer ones, have no stem. */
const STEMMED = /^[\p{L}\p{M}]{3,40}$/u

/** The stemmer of a language (Snowball, snowballstem.org); for an unknown language words are returned unchanged. */
export function getStemmer(language: string): Stem {
  const stemmer = stemmers.get(language)
  if (stemmer) return stemmer
  const newStemmer = startStemmer(language)
  stemmers.set(language, newStemmer)
  return newStemmer
}

function startStemmer(language: string): Stem {
  const algorithm = new Map(Object.entries(ALGORITHMS)).get(language)
  if (algorithm === undefined) return (word) => word
  // Loaded when the first word is stemmed: it takes time at the start, and memory. The module has no types of its own.
  let snowball: { stem(word: string): string } | undefined
  const stemsByWord = new Map<string, string>()
  return (word) => {
    const before = stemsByWord.get(word)
    if (before !== undefined) return before
    if (!STEMMED.test(word)) return word
    snowball ??= (require('snowball-stemmers') as Snowball).newStemmer(algorithm)
    const stem = snowball.stem(word) || word
    if (stemsByWord.size >= MAX_KEPT) stemsByWord.clear()
    stemsByWord.set(word, stem)
    return stem
  }
}

export interface IndexedWord {
  readonly word: string
  readonly lexeme: Lexeme
  /** Absent if it is the word itself. */
  readonly stem: Lexeme | undefined
  /** The words of a name such as `getUserId`. */
  readonly parts: readonly IndexedWord[]
}

/** The known words of each language: most words of a text were in another one before. */
const wordsByLanguage = new Map<string, IndexedWords>()
const MAX_KNOWN = 50_000
const NONE: readonly IndexedWord[] = []

/** The words of a language. A text uses the same object from its beginning to its end. */
export function getIndexedWords(language: string): IndexedWords {
  const indexedWords = wordsByLanguage.get(language)
  if (indexedWords && indexedWords.size <= MAX_KNOWN) return indexedWords
  const newWords = new IndexedWords(getStemmer(language))
  wordsByLanguage.set(language, newWords)
  return newWords
}

/** What is indexed of words, each computed once. */
class IndexedWords {
  readonly #stem: Stem
  readonly #written = new Map<string, IndexedWord | undefined>()
  readonly #lexemes = new Map<string, Lexeme>()

  constructor(stem: Stem) {
    this.#stem = stem
  }

  get size(): number {
    return this.#written.size + this.#lexemes.size
  }

  /** Of a word as a text has it; undefined where nothing is left of it. */
  of(writtenWord: string): IndexedWord | undefined {
    let word = this.#written.get(writtenWord)
    if (word === undefined) {
      word = this.#toIndexed(writtenWord)
      this.#written.set(ownCopy(writtenWord), word)
    }
    return word
  }

  /** The lexeme of a word as `foldWord` returns it. */
  lexeme(word: string): Lexeme {
    let lexeme = this.#lexemes.get(word)
    if (lexeme === undefined) {
      lexeme = new Lexeme(word)
      this.#lexemes.set(ownCopy(word), lexeme)
    }
    return lexeme
  }

  #toIndexed(writtenWord: string): IndexedWord | undefined {
    const word = foldWord(writtenWord)
    if (word === '') return undefined
    const parts = splitParts(writtenWord).map(foldWord).filter(Boolean)
    return this.#withStem(word, parts.length === 0 ? NONE : parts.map((part) => this.#withStem(part, NONE)))
  }

  #withStem(word: string, parts: readonly IndexedWord[]): IndexedWord {
    const stem = this.#stem(word)
    const own = ownCopy(word)
    return { word: own, lexeme: this.lexeme(own), stem: stem === word ? undefined : this.lexeme(stem), parts }
  }
}

export type { IndexedWords }

/** V8 keeps a text as long as a slice of it. */
function ownCopy(slice: string): string {
  return ` ${slice}`.slice(1)
}
