import { splitWords } from '../../search/words.ts'

/** A prefix of a title or a path, as a query of the database. */
export interface TitleQuery {
  /** Titles with each complete word; absent without a word. */
  readonly exact: string | undefined
  /** Titles with words of which these are prefixes. */
  readonly begun: string | undefined
  /** Titles with a word of which one of these is a prefix: each alone, where there are several. */
  readonly begunAlone: readonly string[]
  /** Prefixes of the path. */
  readonly prefix: string
}

const MAX_WORDS = 12

/** Parses any text as a prefix of a title or a path. Single letters are dropped: too many words begin with them. */
export function parseTitleQuery(q: string): TitleQuery {
  const prefix = q.trim().normalize('NFC')
  const words = titleWords(prefix)
  const begunWords = words.filter(({ word, cjk }) => cjk || [...word].length > 1)
  const terms = begunWords.map(({ word, complete }) => `'${word}'${complete ? '' : ':*'}`)
  return {
    exact: conjunction(words.map(({ word }) => `'${word}'`)),
    begun: conjunction(terms),
    begunAlone: terms.length > 1 ? [...new Set(terms)] : [],
    prefix,
  }
}

/** The words of a title or a query without case, accents and punctuation, separated by one space: for comparison. */
export function foldTitle(title: string): string {
  return titleWords(title)
    .map(({ word }) => word)
    .join(' ')
}

/** The last character of a CJK run is in the bigram before it; on its own it is the complete run. */
function titleWords(text: string) {
  return [...splitWords(text)]
    .filter(({ cjk, word }, index, all) => !cjk || [...word].length > 1 || !all[index - 1]?.cjk)
    .slice(0, MAX_WORDS)
    .map(({ word, cjk }) => ({ word, cjk, complete: cjk && [...word].length > 1 }))
}

function conjunction(terms: readonly string[]): string | undefined {
  return terms.length === 0 ? undefined : [...new Set(terms)].join(' & ')
}
