import { wordsOf } from '../search/words.ts'

/** What someone began to type of a title or a path, as the database looks for it. */
export interface TitleQuery {
  /** Titles that have every word as it stands; absent where there is no word. */
  readonly exact: string | undefined
  /** Titles that have words which begin so. */
  readonly begun: string | undefined
  /** The same of the words of paths, which keep their accents. */
  readonly inPath: string | undefined
  /** What a path may begin with. */
  readonly prefix: string
}

const MAX_WORDS = 12

/**
 * Reads any text as the beginning of a title or a path. A single letter is no beginning of a word: so many words have it
 * that to find them all would take long.
 */
export function parseTitleQuery(q: string): TitleQuery {
  const prefix = q.trim().normalize('NFC')
  const words = titleWords(prefix)
  const begun = words.filter(({ word, cjk }) => cjk || [...word].length > 1)
  const parts = [...prefix.toLowerCase().matchAll(/[\p{L}\p{N}\p{M}]{2,}/gu)].slice(0, MAX_WORDS)
  return {
    exact: conjunction(words.map(({ word }) => `'${word}'`)),
    begun: conjunction(begun.map(({ word, complete }) => `'${word}'${complete ? '' : ':*'}`)),
    inPath: conjunction(parts.map(([part]) => `'${part}':*`)),
    prefix,
  }
}

/** The words of a title or a query without case, accents and signs, one space between them: for comparing. */
export function foldTitle(title: string): string {
  return titleWords(title)
    .map(({ word }) => word)
    .join(' ')
}

/** The last character of a CJK run is in the bigram before it; on its own it is the complete run. */
function titleWords(text: string) {
  return [...wordsOf(text)]
    .filter(({ cjk, word }, index, all) => !cjk || [...word].length > 1 || !all[index - 1]?.cjk)
    .slice(0, MAX_WORDS)
    .map(({ word, cjk }) => ({ word, cjk, complete: cjk && [...word].length > 1 }))
}

function conjunction(terms: readonly string[]): string | undefined {
  return terms.length === 0 ? undefined : [...new Set(terms)].join(' & ')
}
