import { isOperator, type Operator, toOperator } from './operators.ts'
import { isStopWord } from './stop-words.ts'
import { type QueryWord, type Term, toWords } from './term.ts'
import { splitWords, type Word } from './words.ts'

/** A parsed query: a page meets one of the branches, and all operators. */
export interface SearchQuery {
  /** All words in their order, stop words and excluded ones included, between blanks. */
  readonly text: string
  readonly branches: readonly (readonly Term[])[]
  readonly operators: readonly Operator[]
  readonly languages: readonly string[]
}

const MAX_TERMS = 32
const TERMS = /(-?)(?:([a-z]{2,6}|commented-by):)?"([^"]*)(?:"|$)|(\S+)/gi

/**
 * Parses a query of words, `"phrases"`, `-not`, `OR` and operators such as `in:space`. The last word is a prefix. Stop
 * words count only if a branch has no other words. Any text is a valid query.
 */
export function parseQuery(q: string, languages: readonly string[] = ['en']): SearchQuery {
  const branches: Term[][] = [[]]
  const operators: Operator[] = []
  let at = 0
  const matches = [...q.matchAll(TERMS)].slice(0, MAX_TERMS)
  for (const [index, match] of matches.entries()) {
    const [source, minus, field, phrase, plain = ''] = match
    if (plain.toLowerCase() === 'or') {
      branches.push([])
      continue
    }
    if (plain === 'AND') continue
    const operator = toOperator(
      phrase === undefined ? plain : { minus: minus === '-', field, value: phrase },
      languages,
    )
    if (operator) {
      operators.push(operator)
      continue
    }
    const quoted = phrase !== undefined && field === undefined
    const text = quoted ? phrase : source
    // Two hyphens begin an option of a command, such as `--amend`.
    const negative = quoted ? minus === '-' : /^-(?!-)/.test(source)
    const isPrefix = !quoted && !negative && index === matches.length - 1 && !text.endsWith('?')
    const words = toWords(text, languages, { isPrefix, quoted, offset: match.index })
    if (words.words.length === 0) continue
    const stop = !quoted && !negative && isStopTerm(words, languages)
    const [start, end] = [match.index, match.index + source.length]
    branches.at(-1)?.push({ ...words, quoted, negative, stop, at, start, end })
    at += words.words.length
  }
  return {
    text: toText(splitWords(q)),
    branches: branches.map(withoutStopWords).filter(isPositive),
    operators,
    languages,
  }
}

/** Words between blanks, so that a text that is part of another one is a phrase of it. */
export function toText(words: readonly Pick<Word, 'word'>[]): string {
  return ` ${words.map(({ word }) => word).join(' ')} `
}

function isStopTerm({ words, whole }: Pick<Term, 'words' | 'whole'>, languages: readonly string[]): boolean {
  const [first, ...others] = words
  return isStopWord((others.length > 0 ? whole : first?.word) ?? '', languages)
}

export function isEmptyQuery({ branches, operators }: SearchQuery): boolean {
  return branches.length === 0 && operators.length === 0
}

/** The words of a query without its exclusions. */
export function wordsToShow({ branches, operators }: SearchQuery): QueryWord[] {
  const terms = [
    ...branches.flat(),
    ...operators.flatMap((operator) => (isOperator(operator, 'title') ? [operator.term] : [])),
  ]
  return terms
    .filter(({ negative }) => !negative)
    .flatMap(({ words, whole }) => [
      ...words,
      ...(whole === undefined ? [] : [{ word: whole, start: 0, end: 0, prefix: false, stems: [], parts: [] }]),
    ])
}

function withoutStopWords(terms: readonly Term[]): readonly Term[] {
  const rest = terms.filter(({ stop }) => !stop)
  return isPositive(rest) ? rest : terms
}

/** A branch with exclusions only would find everything else. */
function isPositive(terms: readonly Term[]): boolean {
  return terms.some(({ negative }) => !negative)
}
