import { createRequire } from 'node:module'
import type { Language } from '@recto/lib/languages.ts'

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
