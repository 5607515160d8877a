import { getStemmer, type Stem } from './stem.ts'
import { Lexeme } from './vector.ts'
import { foldWord, splitParts } from './words.ts'

export interface IndexedWord {
  readonly word: string
  readonly lexeme: Lexeme
  /** Absent if it is the word itself. */
  readonly stem: Lexeme | undefined
  /** The words of a name such as `getUserId`. */
  readonly parts: readonly IndexedWord[]
}

/** The known words of each language: most words of a text were in another one before. */
const wordsByLanguage = new Map<string, IndexedWords>()
const MAX_KNOWN = 50_000
const NONE: readonly IndexedWord[] = []

/** The words of a language. A text uses the same object from its beginning to its end. */
export function getIndexedWords(language: string): IndexedWords {
  const indexedWords = wordsByLanguage.get(language)
  if (indexedWords && indexedWords.size <= MAX_KNOWN) return indexedWords
  const newWords = new IndexedWords(getStemmer(language))
  wordsByLanguage.set(language, newWords)
  return newWords
}

/** What is indexed of words, each computed once. */
class IndexedWords {
  readonly #stem: Stem
  readonly #written = new Map<string, IndexedWord | undefined>()
  readonly #lexemes = new Map<string, Lexeme>()

  constructor(stem: Stem) {
    this.#stem = stem
  }

  get size(): number {
    return this.#written.size + this.#lexemes.size
  }

  /** Of a word as a text has it; undefined where nothing is left of it. */
  of(writtenWord: string): IndexedWord | undefined {
    let word = this.#written.get(writtenWord)
    if (word === undefined) {
      word = this.#toIndexed(writtenWord)
      this.#written.set(ownCopy(writtenWord), word)
    }
    return word
  }

  /** The lexeme of a word as `foldWord` returns it. */
  lexeme(word: string): Lexeme {
    let lexeme = this.#lexemes.get(word)
    if (lexeme === undefined) {
      lexeme = new Lexeme(word)
      this.#lexemes.set(ownCopy(word), lexeme)
    }
    return lexeme
  }

  #toIndexed(writtenWord: string): IndexedWord | undefined {
    const word = foldWord(writtenWord)
    if (word === '') return undefined
    const parts = splitParts(writtenWord).map(foldWord).filter(Boolean)
    return this.#withStem(word, parts.length === 0 ? NONE : parts.map((part) => this.#withStem(part, NONE)))
  }

  #withStem(word: string, parts: readonly IndexedWord[]): IndexedWord {
    const stem = this.#stem(word)
    const own = ownCopy(word)
    return { word: own, lexeme: this.lexeme(own), stem: stem === word ? undefined : this.lexeme(stem), parts }
  }
}

export type { IndexedWords }

/** V8 keeps a text as long as a slice of it. */
function ownCopy(slice: string): string {
  return ` ${slice}`.slice(1)
}
