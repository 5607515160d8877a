import { type SearchQuery, toText } from './query.ts'
import { isStopWord } from './stop-words.ts'
import type { QueryWord, Term } from './term.ts'
import { optionalTerms } from './tsquery.ts'
import { eachWord } from './words.ts'

/** The weight of parts of the title and of the path, relative to the title. */
const LESSER_NAME = 0.9
const TITLE_PARTS = /[:;|()\u2013\u2014]|\s-\s/
/** Index pages, which are named after their folder. */
const INDEX_NAME = /\/(?:index|readme)$/i

/** How well the names of a page meet a query. */
interface NameMatch {
  /** Of the best name, from 0 to 1. */
  readonly score: number
  /** Whether the query is one of them; where words may be missing, whether one of them stands in the query. */
  readonly whole: boolean
}

interface NameWord {
  readonly word: string
  readonly stop: boolean
  /** Its likeness to each word of the query; undefined if it is like none of them. */
  readonly likeness: readonly number[] | undefined
}

/** Compares the names of pages with a query. It keeps nothing of words that are like no word of the query. */
export class NameMatcher {
  readonly #query: readonly QueryWord[]
  readonly #weights: readonly number[]
  readonly #name: string
  readonly #text: string
  /** Whether words of the query may be missing. */
  readonly #isPartial: boolean
  readonly #languages: readonly string[]

  /** `weights`: of the optional terms of the query; empty: they are equal. */
  constructor(query: SearchQuery, weights: readonly number[]) {
    const { branches, languages } = query
    this.#text = query.text
    this.#isPartial = weights.length > 0
    const terms = branches.flatMap((terms) => terms.filter(({ negative }) => !negative))
    const optional = optionalTerms(query)
    const toWeight = (term: Term) => (weights.length === 0 ? 1 : (weights[optional.indexOf(term)] ?? 0))
    this.#query = terms.flatMap(({ words }) => words)
    this.#weights = terms.flatMap((term) => term.words.map(() => toWeight(term)))
    this.#name = this.#query.map(({ word }) => word).join('')
    this.#languages = languages
  }

  /** The match of the title and its parts, of the path and of its last two segments. */
  match({ title, path }: { readonly title: string; readonly path: string }): NameMatch {
    let [score, whole] = [0, false]
    const compare = (name: readonly NameWord[], share: number) => {
      const words = significant(name)
      score = Math.max(score, this.#computeScore(words, share))
      whole ||= isJoined(words, this.#name) || (this.#isPartial && this.#isPhrase(name))
    }
    compare(this.#splitWords(title), 1)
    const parts = title.split(TITLE_PARTS)
    if (parts.length > 1) for (const part of parts) compare(this.#splitWords(part), LESSER_NAME)
    const segments = path
      .replace(INDEX_NAME, '')
      .split('/')
      .map((segment) => this.#splitWords(segment))
    compare(segments.flat(), LESSER_NAME)
    if (segments.length > 2) compare(segments.slice(-2).flat(), LESSER_NAME)
    if (segments.length > 1) compare(segments.at(-1) ?? [], LESSER_NAME)
    return { score, whole }
  }

  /** Whether a name of two words or more stands in the query. */
  #isPhrase(name: readonly NameWord[]): boolean {
    return name.length > 1 && name.some(({ likeness, stop }) => likeness && !stop) && this.#text.includes(toText(name))
  }

  /** The share of the name that the query covers, times the share of the query that the name covers. */
  #computeScore(words: readonly NameWord[], share: number): number {
    if (!words.some(({ likeness }) => likeness)) return 0
    const metTerms = new Set<number>()
    let coveredLength = 0
    for (const { likeness = [] } of words) {
      let best = 0
      for (const [index, like] of likeness.entries()) {
        if (like > 0) metTerms.add(index)
        if (like > best) best = like
      }
      coveredLength += best
    }
    const queryShare = computeShare(this.#weights, (index) => metTerms.has(index))
    return share * (coveredLength / words.length) * (this.#isPartial ? Math.sqrt(queryShare) : queryShare)
  }

  #splitWords(name: string): readonly NameWord[] {
    const words: NameWord[] = []
    eachWord(name, 0, (word) => words.push(this.#toWord(word)) > 0)
    return words
  }

  #toWord(word: string): NameWord {
    let likeness: number[] | undefined
    let index = 0
    for (const queryWord of this.#query) {
      const like = computeLikeness(queryWord, word)
      if (like > 0) {
        likeness ??= this.#query.map(() => 0)
        likeness[index] = like
      }
      index++
    }
    return { word, stop: isStopWord(word, this.#languages), likeness }
  }
}

/** The words of a name without its stop words that are like none of the query, if it has others. */
function significant(words: readonly NameWord[]): readonly NameWord[] {
  if (!words.some(({ stop }) => stop)) return words
  const others = words.filter(({ stop, likeness }) => !stop || likeness !== undefined)
  return others.length > 0 ? others : words
}

/** Whether the words together are a name. */
function isJoined(words: readonly NameWord[], name: string): boolean {
  let length = 0
  for (const { word } of words) length += word.length
  return length === name.length && words.map(({ word }) => word).join('') === name
}

function computeLikeness({ word, stems, parts, prefix }: QueryWord, other: string): number {
  if (word === other) return 1
  if (parts.some((part) => part.word === other)) return 0.9
  if (stems.some((stem) => other.startsWith(stem) && other.length - stem.length <= 4)) return 0.8
  return prefix && other.startsWith(word) ? 0.5 : 0
}

/** The share of those that are met in the sum of all weights. */
export function computeShare(weights: readonly number[], isMet: (index: number) => boolean): number {
  const all = weights.reduce((sum, each) => sum + each, 0)
  return all === 0 ? 0 : weights.reduce((sum, each, index) => sum + (isMet(index) ? each : 0), 0) / all
}
