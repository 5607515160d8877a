import { isWithinEdits } from '@recto/lib/text/edits.ts'
import { newestMatches } from './newest-matches.ts'
import { type Spelling, WORD } from './spelling.ts'
import { listWords } from './store-words.ts'
import type { Weighing } from './weights.ts'

/** Shorter words are like too many others. */
const MIN_LETTERS = 8
const MAX_EDITS = 2
/** The maximum of pages whose words are compared. */
const PAGES = 200
/** The likelihood of two mistakes, relative to one. */
const LIKELIHOOD = 0.01

/**
 * The words that differ from a long one by two letters, of the newest pages with a word that begins alike: too many
 * words differ by two letters to look each up.
 */
export async function listDistantSpellings(search: Weighing, word: string): Promise<readonly Spelling[]> {
  const [a = '', b = '', c = '', d = '', ...rest] = word
  if (4 + rest.length < MIN_LETTERS || !WORD.test(word)) return []
  // As it was typed, with two letters transposed, and without one.
  const query = [a + b + c, a + c + b, a + b + d, a + c + d].map((beginning) => `'${beginning}':*`).join(' | ')
  const { db, end, condition } = search
  const matching = { ...search, query, prefilter: undefined, negative: false, condition }
  const pages = await newestMatches({ db, matching, tier: undefined, ordered: true, end, limit: PAGES })
  const words = await listWords(db, pages, a)
  return words
    .filter((other) => WORD.test(other) && isWithinEdits(word, other, MAX_EDITS))
    .map((other) => ({ words: other, text: `'${other}':AC`, likelihood: LIKELIHOOD }))
}
