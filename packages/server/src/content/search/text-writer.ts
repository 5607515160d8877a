import { isJoint, joined, MAX_PARTS } from './identifiers.ts'
import type { IndexedWord, IndexedWords } from './indexed-words.ts'
import type { Vector, Weight } from './vector.ts'
import { eachRun, foldWord } from './words.ts'

/** The weights of words as written, and of their stems: exact words rank before others of the same stem. */
export interface Weights {
  readonly exact: Weight
  readonly stem: Weight
}

/** Adds the words of a text to a vector with their stems, the parts of names, and names as one word. */
export class TextWriter {
  readonly #vector: Vector
  readonly #text: string
  readonly #words: IndexedWords
  readonly #weights: Weights
  /** The words of the current name, their number, the position of the first and the end of the last. */
  readonly #name: string[] = []
  #length = 0
  #first = 0
  #last = 0
  /** The number of words that may be added before `addFrom` stops. */
  left = Number.POSITIVE_INFINITY

  constructor(vector: Vector, text: string, words: IndexedWords, weights: Weights) {
    this.#vector = vector
    this.#text = text
    this.#words = words
    this.#weights = weights
  }

  /** Adds the words from an offset on. Returns the offset to continue from. */
  addFrom(offset: number): number {
    return eachRun(this.#text, offset, (start, end, cjk) => this.#add(start, end, cjk))
  }

  /** Adds the word at a place of the text; false if it is the last one for now, or the vector is full. */
  #add(start: number, end: number, cjk: boolean): boolean {
    const writtenWord = this.#text.slice(start, end)
    const isAdded = cjk
      ? this.#addBigram(foldWord(writtenWord))
      : this.#addWord(this.#words.of(writtenWord), start, end)
    return !isAdded || (--this.left > 0 && this.#vector.fits)
  }

  end(): void {
    const whole = this.#length > 1 ? joined(this.#name.slice(0, this.#length)) : undefined
    if (whole !== undefined) this.#vector.addAt(this.#first, this.#words.lexeme(whole), this.#weights.exact)
    this.#length = 0
  }

  #addBigram(word: string): boolean {
    if (word === '') return false
    this.end()
    this.#vector.addAt(++this.#vector.position, this.#words.lexeme(word), this.#weights.exact)
    return true
  }

  #addWord(indexedWord: IndexedWord | undefined, start: number, end: number): boolean {
    if (indexedWord === undefined) return false
    if (this.#length > 0 && !isJoint(this.#text, this.#last, start)) this.end()
    const position = ++this.#vector.position
    if (this.#length === 0) this.#first = position
    if (this.#length <= MAX_PARTS) this.#name[this.#length++] = indexedWord.word
    this.#last = end
    this.#addForms(position, indexedWord)
    for (const part of indexedWord.parts) this.#addForms(position, part)
    return true
  }

  #addForms(position: number, { lexeme, stem }: IndexedWord): void {
    this.#vector.addAt(position, lexeme, this.#weights.exact)
    if (stem !== undefined) this.#vector.addAt(position, stem, this.#weights.stem)
  }
}
