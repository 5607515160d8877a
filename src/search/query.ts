import { wordsOf } from './words.ts'

/** A query as the database reads it (`tsquery`), and the words that a snippet highlights. */
export interface SearchQuery {
  /** Undefined when no word is left to search for. */
  readonly text: string | undefined
  /** The query without its prefixes, so that it matches more; undefined when nothing else is left of it. */
  readonly relaxed: string | undefined
  /** Whether it excludes a word. */
  readonly negative: boolean
  readonly words: readonly QueryWord[]
}

export interface QueryWord {
  readonly word: string
  readonly prefix: boolean
}

interface Term {
  readonly text: string
  readonly relaxed: string | undefined
  readonly negative: boolean
  readonly words: readonly QueryWord[]
}

type Written = Pick<Term, 'negative'> & { readonly text: string | undefined }

const MAX_TERMS = 32
const TERMS = /(-?)"([^"]*)(?:"|$)|(\S+)/g

/**
 * Parses a query in the syntax of web search engines: all words must occur, `"phrases"`, `-not` and `or`. The last word is a
 * prefix. Any text is a valid query.
 */
export function parseQuery(q: string): SearchQuery {
  const branches: Term[][] = [[]]
  const terms = [...q.matchAll(TERMS)].slice(0, MAX_TERMS)
  for (const [index, [, minus, phrase, word = '']] of terms.entries()) {
    if (phrase === undefined && word.toLowerCase() === 'or') {
      branches.push([])
      continue
    }
    const negative = phrase === undefined ? word.startsWith('-') : minus === '-'
    const isPrefix = phrase === undefined && !negative && index === terms.length - 1
    const term = termOf(phrase ?? word, negative, isPrefix)
    if (term) branches.at(-1)?.push(term)
  }
  // A branch with exclusions only would find everything else.
  const found = branches.filter((terms) => terms.some((term) => !term.negative))
  const used = found.flat()
  const relaxed = found.map((terms) => branchText(terms.map((term) => ({ ...term, text: term.relaxed }))))
  return {
    text: found.length === 0 ? undefined : found.map(branchText).join(' | '),
    relaxed: relaxed.includes(undefined) || relaxed.length === 0 ? undefined : relaxed.join(' | '),
    negative: used.some((term) => term.negative),
    words: used.filter((term) => !term.negative).flatMap((term) => term.words),
  }
}

/** The conjunction of the terms that have a text; undefined where all of them are exclusions. */
function branchText(terms: readonly Written[]): string | undefined {
  const used = terms.filter(({ text }) => text !== undefined)
  if (used.every(({ negative }) => negative)) return undefined
  return `(${used.map(({ text, negative }) => (negative ? `!(${text})` : text)).join(' & ')})`
}

/** One word may be several in the index, such as `node.js`: these are searched for as a phrase. */
function termOf(text: string, negative: boolean, isPrefix: boolean): Term | undefined {
  const found = [...wordsOf(text)].slice(0, MAX_TERMS)
  const words = found
    // The last character of a run is in the bigram before it; on its own it is the complete run.
    .filter(({ cjk, word }, index) => !cjk || [...word].length > 1 || !found[index - 1]?.cjk)
    .map(({ word, cjk }, index, all) => {
      const last = index === all.length - 1
      const alone = cjk && [...word].length === 1
      return { word, prefix: alone || (isPrefix && last && !cjk && word.length > 1) }
    })
  if (words.length === 0) return undefined
  const complete = words.filter(({ prefix }) => !prefix)
  return {
    text: toTsquery(words),
    // An exclusion without one of its words would exclude more.
    relaxed:
      complete.length === words.length || (complete.length > 0 && !negative)
        ? toTsquery(complete)
        : undefined,
    negative,
    words,
  }
}

function toTsquery(words: readonly QueryWord[]): string {
  const text = words.map(({ word, prefix }) => `'${word}'${prefix ? ':*' : ''}`).join(' <-> ')
  return words.length === 1 ? text : `(${text})`
}
