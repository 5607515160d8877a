import { wordsOf } from './words.ts'

/** A query as the database reads it, and the words that a snippet marks. */
export interface SearchQuery {
  /** Absent when there is nothing to look for. */
  readonly text: string | undefined
  /** Whether something must not be there. */
  readonly negative: boolean
  readonly words: readonly QueryWord[]
}

export interface QueryWord {
  readonly word: string
  readonly prefix: boolean
}

interface Term {
  readonly text: string
  readonly negative: boolean
  readonly words: readonly QueryWord[]
}

const MAX_TERMS = 32
const PIECES = /(-?)"([^"]*)(?:"|$)|(\S+)/g

/**
 * Reads a query of the kind that people type into search engines: words that must all be there, `"phrases"`, `-not`, and
 * `or`. The last word matches whatever begins with it. Any text is a query.
 */
export function parseQuery(q: string): SearchQuery {
  const branches: Term[][] = [[]]
  const pieces = [...q.matchAll(PIECES)].slice(0, MAX_TERMS)
  for (const [index, [, minus, phrase, word = '']] of pieces.entries()) {
    if (phrase === undefined && word.toLowerCase() === 'or') {
      branches.push([])
      continue
    }
    const negative = phrase === undefined ? word.startsWith('-') : minus === '-'
    const open = phrase === undefined && !negative && index === pieces.length - 1
    const term = termOf(phrase ?? word, negative, open)
    if (term) branches.at(-1)?.push(term)
  }
  // A branch that only says what must not be there would find everything else.
  const found = branches.filter((terms) => terms.some((term) => !term.negative))
  const used = found.flat()
  return {
    text: found.length === 0 ? undefined : found.map(branchText).join(' | '),
    negative: used.some((term) => term.negative),
    words: used.filter((term) => !term.negative).flatMap((term) => term.words),
  }
}

function branchText(terms: readonly Term[]): string {
  return `(${terms.map((term) => (term.negative ? `!(${term.text})` : term.text)).join(' & ')})`
}

/** What is one word to people may be several here, such as `node.js`: they are looked for as a phrase. */
function termOf(text: string, negative: boolean, open: boolean): Term | undefined {
  const found = [...wordsOf(text)].slice(0, MAX_TERMS)
  const words = found
    // The last character of a run is in the pair before it; alone it is all there is of the run.
    .filter(({ dense, word }, index) => !dense || [...word].length > 1 || !found[index - 1]?.dense)
    .map(({ word, dense }, index, all) => {
      const last = index === all.length - 1
      const alone = dense && [...word].length === 1
      return { word, prefix: alone || (open && last && !dense && word.length > 1) }
    })
  if (words.length === 0) return undefined
  return {
    text: words.length === 1 ? written(words) : `(${written(words)})`,
    negative,
    words,
  }
}

function written(words: readonly QueryWord[]): string {
  return words.map(({ word, prefix }) => `'${word}'${prefix ? ':*' : ''}`).join(' <-> ')
}
