/** Weights of a `tsvector`, highest first. */
export type Weight = 'A' | 'B' | 'C' | 'D'

// PostgreSQL's limits of a tsvector: positions of 14 bits, 256 positions a word, 1 MiB for words and positions.
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
const MAX_BYTES = 600_000

/** A word in a vector: its text with its positions so far, the last of them, and their number. */
interface Entry {
  readonly lexeme: Lexeme
  text: string
  last: number
  count: number
}

/**
 * A word for vectors, one object for all texts: it refers to its entry in the vector that is being built, which so need not be
 * looked up for every word of a text.
 */
export class Lexeme {
  /** Words consist of letters, digits, marks and emoji, so that they need no escaping. */
  readonly start: string
  readonly bytes: number
  /** The number of a vector, and the index of the entry there: numbers, so that nothing of a vector outlives it. */
  vector = 0
  index = 0

  constructor(word: string) {
    this.start = ` '${word}':`
    this.bytes = Buffer.byteLength(word)
  }
}

let vectors = 0

/** Builds a `tsvector` in the text format of PostgreSQL. Another one may be built in between after `resume`. */
export class Vector {
  readonly #number = ++vectors
  readonly #entries: Entry[] = []
  #bytes = 0
  /** The position of the last word. */
  position = 0

  /** Whether there is space for another word. */
  get fits(): boolean {
    return this.#bytes < MAX_BYTES
  }

  /** Goes on after another vector: the words refer to their entries in this one again. */
  resume(): void {
    for (const [index, { lexeme }] of this.#entries.entries()) this.#point(lexeme, index)
  }

  /** Adds a word at a position that may have another one, such as its stem: the first weight there counts. */
  addAt(position: number, lexeme: Lexeme, weight: Weight): void {
    if (this.#bytes >= MAX_BYTES) return
    const at = position < MAX_POSITION ? position : MAX_POSITION
    const entry = lexeme.vector === this.#number ? this.#entries[lexeme.index] : undefined
    if (entry === undefined) {
      this.#point(lexeme, this.#entries.length)
      this.#entries.push({ lexeme, text: lexeme.start + placeOf(at, weight), last: at, count: 1 })
      this.#bytes += lexeme.bytes + 12
    } else if (entry.count < MAX_POSITIONS && entry.last !== at) {
      entry.text += `,${placeOf(at, weight)}`
      entry.last = at
      entry.count++
      this.#bytes += 2
    }
  }

  #point(lexeme: Lexeme, index: number): void {
    lexeme.vector = this.#number
    lexeme.index = index
  }

  toString(): string {
    let text = ''
    for (const entry of this.#entries) text += entry.text
    return text.slice(1)
  }
}

function placeOf(at: number, weight: Weight): string {
  return weight === 'D' ? `${at}` : at + weight
}
