import type { SearchQuery } from './query.ts'
import type { QueryWord, Term } from './term.ts'

/**
 * How closely words are matched: `any` form (stems, parts of names, prefixes), `complete` words only (the same
 * without prefixes), or `exact` words as written.
 */
type Match = 'any' | 'complete' | 'exact'

/** The maximum of optional terms, which limits the number of combinations; further terms are ignored. */
export const MAX_RELAXED = 8
/** The maximum distance of adjacent words in a query, with stop words between them. */
const MAX_DISTANCE = 4
const MAX_PAIRS = 12

/**
 * The `tsquery` of a query, or of a minimum of its terms; undefined if it has no words, so that every page meets it.
 */
export function toTsquery({ branches }: SearchQuery, match: Match, minimum?: number): string | undefined {
  const texts = branches.map((terms) => branchText(terms, match, minimum || terms.length))
  if (texts.length === 0 || texts.includes(undefined)) return undefined
  return texts.join(' | ')
}

/** A minimum of the terms and no exclusion; undefined if only exclusions are left. */
function branchText(terms: readonly Term[], match: Match, minimum: number): string | undefined {
  const wantedTerms = terms.filter(({ negative }) => !negative)
  const some =
    minimum >= wantedTerms.length
      ? wantedTerms
      : wantedTerms.toSorted((a, b) => b.end - b.start - (a.end - a.start)).slice(0, MAX_RELAXED)
  const texts = some.flatMap((term) => termText(term, match) ?? [])
  // A term without a text may be met by any page.
  const branch = atLeast(Math.min(minimum, some.length) - (some.length - texts.length), texts)
  if (branch === undefined) return undefined
  const excludedTexts = terms.flatMap((term) => {
    const text = term.negative ? termText(term, match) : undefined
    return text === undefined ? [] : [`!(${text})`]
  })
  return `(${[branch, ...excludedTexts].join(' & ')})`
}

/** A minimum of some conditions; undefined: no condition. */
function atLeast(minimum: number, texts: readonly string[]): string | undefined {
  if (minimum <= 0) return undefined
  if (minimum >= texts.length) return texts.join(' & ')
  const [first = '', ...others] = texts
  const more = atLeast(minimum - 1, others)
  return `(${more === undefined ? first : `${first} & ${more}`} | ${atLeast(minimum, others)})`
}

/** The `tsquery` of a term without its sign; undefined if it would match less than the term. */
export function termText({ words, whole, quoted, negative }: Term, match: Match): string | undefined {
  const begins = words.some(({ prefix }) => prefix)
  if (match === 'complete' && begins) {
    // An exclusion without one of its words would exclude more; as one name, the words could all be missing.
    const complete = words.filter(({ prefix }) => !prefix)
    return complete.length === 0 || negative || whole !== undefined ? undefined : phrase(complete, quoted, match)
  }
  const text = phrase(words, quoted, match)
  if (whole === undefined || quoted || match === 'exact') return text
  return `(${text} | '${whole}'${begins ? ':*' : ''})`
}

/** Two words of a query that follow each other, or its only one, as `tsquery` texts. */
export interface Neighbours {
  /** At their distance in the query, in any form. */
  readonly text: string
  /** As they were written, in a title or a heading (weights A and B). */
  readonly heading: string
}

/** The neighbours among the words of a query without alternatives. */
export function listNeighbours({ branches }: SearchQuery): readonly Neighbours[] {
  const [terms = [], ...others] = branches
  if (others.length > 0) return []
  const words = terms.flatMap(({ words, negative, at }) =>
    negative ? [] : words.map((word, index) => ({ word, at: at + index })),
  )
  const [first] = words
  if (first && words.length === 1) return [{ text: wordText(first.word, 'any'), heading: inHeading(first.word) }]
  return words.slice(0, MAX_PAIRS + 1).flatMap(({ word, at }, index) => {
    const next = words[index + 1]
    if (!next || next.at - at > MAX_DISTANCE) return []
    const follows = `<${next.at - at}>`
    return [
      {
        text: `(${wordText(word, 'any')} ${follows} ${wordText(next.word, 'any')})`,
        heading: `(${inHeading(word)} ${follows} ${inHeading(next.word)})`,
      },
    ]
  })
}

function inHeading({ word, prefix }: QueryWord): string {
  return `'${word}':${prefix ? '*' : ''}AB`
}

/** One word may be several in the index, such as `node.js`: these are searched for as a phrase. */
function phrase(words: readonly QueryWord[], quoted: boolean, match: Match): string {
  const texts = words.map((word) => (quoted ? `'${word.word}'${word.prefix ? ':*' : ''}` : wordText(word, match)))
  return texts.length === 1 ? (texts[0] ?? '') : `(${texts.join(' <-> ')})`
}

/** The `tsquery` of a word. */
export function wordText({ word, prefix, stems, parts }: QueryWord, match: Match): string {
  if (match === 'exact') return `'${word}'`
  const forms = [`'${word}'${prefix ? ':*' : ''}`, ...stems.map((stem) => `'${stem}'`)]
  if (parts.length > 0) forms.push(`(${parts.map(partText).join(' & ')})`)
  return forms.length === 1 ? (forms[0] ?? '') : `(${forms.join(' | ')})`
}

function partText({ word, stems }: QueryWord['parts'][number]): string {
  const forms = [word, ...stems].map((form) => `'${form}'`)
  return forms.length === 1 ? (forms[0] ?? '') : `(${forms.join(' | ')})`
}
