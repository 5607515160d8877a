import { getStemmer, type Stem } from './indexed-words.ts'
import { foldWord, isJoint, joined, splitParts, splitWords, type Word } from './words.ts'

/** A word of a query with all its forms in the index. */
export interface QueryWord {
  readonly word: string
  /** Its position in the query. */
  readonly start: number
  readonly end: number
  readonly prefix: boolean
  /** Its stems that differ from it. */
  readonly stems: readonly string[]
  /** The words of a name such as `getUserId`. */
  readonly parts: readonly { readonly word: string; readonly stems: readonly string[] }[]
}

/** The text between two spaces or in quotes: words that follow each other. */
export interface Term {
  readonly words: readonly QueryWord[]
  /** The joined words if they are one name, such as `getchilditem` for `Get-ChildItem`. */
  readonly whole: string | undefined
  /** In quotes: only words as written. */
  readonly quoted: boolean
  readonly negative: boolean
  /** A stop word. */
  readonly stop: boolean
  /** The index of its first word among all words of the query. */
  readonly at: number
  /** Its position in the query. */
  readonly start: number
  readonly end: number
}

const MAX_WORDS = 32

/** The words of a text, and the name that they form. */
export function toWords(
  text: string,
  languages: readonly string[],
  place: { readonly isPrefix: boolean; readonly quoted?: boolean; readonly offset: number },
): Pick<Term, 'words' | 'whole'> {
  const { isPrefix, quoted = false, offset } = place
  const stems = languages.map(getStemmer)
  const textWords = splitWords(text)
    .slice(0, MAX_WORDS)
    .filter(({ word, start }) => quoted || !isPossessive(text, word, start))
  const words = textWords
    // The last character of a run is in the bigram before it; on its own it is the complete run.
    .filter(({ cjk, word }, index) => !cjk || [...word].length > 1 || !textWords[index - 1]?.cjk)
    .map((foundWord, index, all) => {
      const word = toWord(foundWord, text, stems, isPrefix && index === all.length - 1)
      return { ...word, start: offset + foundWord.start, end: offset + foundWord.end }
    })
  const isName = textWords.every(
    ({ cjk, start }, index) => !cjk && (index === 0 || isJoint(text, textWords[index - 1]?.end ?? 0, start)),
  )
  return { words, whole: isName ? joined(words.map(({ word }) => word)) : undefined }
}

/** Whether a word is the ending of a possessive, such as `compiler's`. */
function isPossessive(text: string, word: string, start: number): boolean {
  return word === 's' && start > 1 && /['’]/.test(text[start - 1] ?? '')
}

function toWord(
  { word, cjk, start, end }: Word,
  text: string,
  stems: readonly Stem[],
  isLast: boolean,
): Omit<QueryWord, 'start' | 'end'> {
  const alone = cjk && [...word].length === 1
  const parts = splitParts(text.slice(start, end)).map(foldWord).filter(Boolean)
  return {
    word,
    prefix: alone || (isLast && !cjk && word.length > 1),
    stems: cjk ? [] : listStems(word, stems),
    parts: cjk ? [] : parts.map((part) => ({ word: part, stems: listStems(part, stems) })),
  }
}

function listStems(word: string, stems: readonly Stem[]): readonly string[] {
  return [...new Set(stems.map((stem) => stem(word)))].filter((stem) => stem !== word)
}
