import type { SearchQuery } from './query.ts'
import type { QueryWord, Term } from './term.ts'

/**
 * * How closely words are matched: `any` form (stems, parts of names, prefixes), `complete` words only (the same
 * without prefixes), or `exact` words as written.
 */
type Match = 'any' | 'complete' | 'exact'

/** The maximum of optional terms, which limits the number of selections; further terms are ignored. */
const MAX_RELAXED = 8

/** The `tsquery` of a query; undefined if it has no words, so that every page meets it. */
export function toTsquery({ branches }: SearchQuery, match: Match, minimum = 0): string | undefined {
  const texts = branches.flatMap((terms) =>
    (minimum > 0 ? selections(terms, minimum) : [terms]).map((some) => branchText(some, match)),
  )
  if (texts.length === 0 || texts.includes(undefined)) return undefined
  return texts.join(' | ')
}

/** The conjunction of the terms that have a text; undefined if all of them are exclusions. */
function branchText(terms: readonly Term[], match: Match): string | undefined {
  const texts = terms.flatMap((term) => {
    const text = termText(term, match)
    return text === undefined ? [] : [{ text, negative: term.negative }]
  })
  if (texts.every(({ negative }) => negative)) return undefined
  return `(${texts.map(({ text, negative }) => (negative ? `!(${text})` : text)).join(' & ')})`
}

/** The `tsquery` of a term without its sign; undefined if it would match less than the term. */
export function termText({ words, whole, quoted, negative }: Term, match: Match): string | undefined {
  const begins = words.some(({ prefix }) => prefix)
  if (match === 'complete' && begins) {
    // An exclusion without one of its words would exclude more; as one name, the words could all be missing.
    const complete = words.filter(({ prefix }) => !prefix)
    return complete.length === 0 || negative || whole !== undefined
      ? undefined
      : phrase(complete, quoted, match)
  }
  const text = phrase(words, quoted, match)
  if (whole === undefined || quoted || match === 'exact') return text
  return `(${text} | '${whole}'${begins ? ':*' : ''})`
}

/** One word may be several in the index, such as `node.js`: these are searched for as a phrase. */
function phrase(words: readonly QueryWord[], quoted: boolean, match: Match): string {
  const texts = words.map((word) =>
    quoted ? `'${word.word}'${word.prefix ? ':*' : ''}` : wordText(word, match),
  )
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

/** Every selection of `count` terms, with all exclusions. */
function selections(terms: readonly Term[], size: number): readonly (readonly Term[])[] {
  const excluded = terms.filter(({ negative }) => negative)
  const wanted = terms.filter(({ negative }) => !negative)
  const longest = wanted.toSorted((a, b) => b.end - b.start - (a.end - a.start)).slice(0, MAX_RELAXED)
  let found: Term[][] = [[]]
  for (const [index, term] of longest.entries()) {
    const left = longest.length - index - 1
    found = found.flatMap((some) => [
      ...(some.length < size ? [[...some, term]] : []),
      ...(some.length + left >= size ? [some] : []),
    ])
  }
  return found.map((some) => [...some, ...excluded])
}
