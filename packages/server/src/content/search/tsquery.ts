import type { SearchQuery } from './query.ts'
import type { QueryWord, Term } from './term.ts'

/** How words are matched: in `any` form (stems, parts, prefixes), `complete` without prefixes, or `exact`. */
type Match = 'any' | 'complete' | 'exact'

/** The maximum of optional terms, which limits the number of combinations; the longest are chosen. */
const MAX_OPTIONAL = 8
/** The maximum distance of adjacent words in a query, with stop words between them. */
const MAX_DISTANCE = 4
const MAX_PAIRS = 12

/** The terms of a query that a page may lack; none of a query with alternatives. */
export function optionalTerms({ branches }: SearchQuery): readonly Term[] {
  const [terms = [], ...others] = branches
  if (others.length > 0) return []
  const positiveTerms = terms.filter(({ negative }) => !negative)
  const longest = positiveTerms.toSorted((a, b) => b.end - b.start - (a.end - a.start)).slice(0, MAX_OPTIONAL)
  return positiveTerms.filter((term) => longest.includes(term))
}

/** How much of a query a page must have. */
export interface Share {
  /** Of each optional term; 0: no page has it. */
  readonly weights: readonly number[]
  /** The share of the sum of all weights, from 0 to 1. */
  readonly least: number
}

/** The `tsquery` of a query, or of a share of its terms; undefined if it has no words, so that every page meets it. */
export function toTsquery(query: SearchQuery, match: Match, share?: Share): string | undefined {
  const texts = query.branches.map((terms) => {
    const positives = share ? shareText(query, match, share) : allText(terms, match)
    if (positives === undefined) return undefined
    const excludedTexts = terms.flatMap((term) => {
      const text = term.negative ? termText(term, match) : undefined
      return text === undefined ? [] : [`!(${text})`]
    })
    return `(${[positives, ...excludedTexts].join(' & ')})`
  })
  if (texts.length === 0 || texts.includes(undefined)) return undefined
  return texts.join(' | ')
}

function allText(terms: readonly Term[], match: Match): string | undefined {
  const texts = terms.flatMap((term) => (term.negative ? [] : (termText(term, match) ?? [])))
  return texts.length === 0 ? undefined : texts.join(' & ')
}

/** Phrases in quotes are required, if a page has them. */
function shareText(query: SearchQuery, match: Match, { weights, least }: Share): string | undefined {
  const all = optionalTerms(query)
    .map((term, index) => ({ quoted: term.quoted, text: termText(term, match), weight: weights[index] ?? 0 }))
    .filter(({ weight }) => weight > 0)
  // A term without a text may be met by any page.
  const textless = sumWeights(all.filter(({ text }) => text === undefined))
  const [phrases, others] = [all.filter(({ quoted }) => quoted), all.filter(({ quoted }) => !quoted)]
  const some = others
    .flatMap(({ text, weight }) => (text === undefined ? [] : [{ text, weight }]))
    .sort((a, b) => b.weight - a.weight)
  const restText = atLeast(least * sumWeights(all) - textless - sumWeights(phrases), some)
  const texts = [...phrases.map(({ text }) => text), restText].filter((text) => text !== undefined)
  return texts.length === 0 ? undefined : texts.join(' & ')
}

interface Weighted {
  readonly text: string
  readonly weight: number
}

function sumWeights(terms: readonly Pick<Weighted, 'weight'>[]): number {
  return terms.reduce((sum, { weight }) => sum + weight, 0)
}

const MIN_WEIGHT = 1e-9

/** Terms with at least a weight together; undefined: no condition. The terms have it, and come in order of weight. */
function atLeast(weight: number, terms: readonly Weighted[]): string | undefined {
  const [first, ...others] = terms
  // A sum of floating-point numbers in another order may differ in the last digits.
  if (first === undefined || weight <= MIN_WEIGHT) return undefined
  const more = atLeast(weight - first.weight, others)
  const withFirst = more === undefined ? first.text : `${first.text} & ${more}`
  return sumWeights(others) < weight - MIN_WEIGHT ? withFirst : `(${withFirst} | ${atLeast(weight, others)})`
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
