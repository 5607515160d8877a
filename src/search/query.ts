import { wordsOf } from './words.ts'

/** A query as the database reads it, and the words that a snippet marks. */
export interface SearchQuery {
  /** Absent when there is nothing to look for. */
  readonly text: string | undefined
  /** The same without the words that match whatever begins with them; absent when it says nothing then. */
  readonly loose: string | undefined
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
  readonly loose: string | undefined
  readonly negative: boolean
  readonly words: readonly QueryWord[]
}

type Written = Pick<Term, 'negative'> & { readonly text: string | undefined }

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
  const loose = found.map((terms) => branchText(terms.map((term) => ({ ...term, text: term.loose }))))
  return {
    text: found.length === 0 ? undefined : found.map(branchText).join(' | '),
    loose: loose.includes(undefined) || loose.length === 0 ? undefined : loose.join(' | '),
    negative: used.some((term) => term.negative),
    words: used.filter((term) => !term.negative).flatMap((term) => term.words),
  }
}

/** All of the terms that have a text; nothing where none says what must be there. */
function branchText(terms: readonly Written[]): string | undefined {
  const said = terms.filter(({ text }) => text !== undefined)
  if (said.every(({ negative }) => negative)) return undefined
  return `(${said.map(({ text, negative }) => (negative ? `!(${text})` : text)).join(' & ')})`
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
  const whole = words.filter(({ prefix }) => !prefix)
  return {
    text: written(words),
    // A negative term would shut out more without one of its words.
    loose: whole.length === words.length || (whole.length > 0 && !negative) ? written(whole) : undefined,
    negative,
    words,
  }
}

function written(words: readonly QueryWord[]): string {
  const text = words.map(({ word, prefix }) => `'${word}'${prefix ? ':*' : ''}`).join(' <-> ')
  return words.length === 1 ? text : `(${text})`
}
