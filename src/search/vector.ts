/** Weights of a `tsvector`, highest first. */
export type Weight = 'A' | 'B' | 'C' | 'D'

// PostgreSQL's limits of a tsvector: positions of 14 bits, 256 positions a word, 1 MiB for words and positions.
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
const MAX_BYTES = 600_000

/** The positions of a word as text, the last of them, and their number. */
interface Positions {
  text: string
  last: number
  count: number
}

/** Builds a `tsvector` in the text format of PostgreSQL. */
export class Vector {
  readonly #words = new Map<string, Positions>()
  #position = 0
  #bytes = 0

  /** Whether there is space for another word. */
  get fits(): boolean {
    return this.#bytes < MAX_BYTES
  }

  /** The position of the last word. */
  get position(): number {
    return this.#position
  }

  /** Skips positions, so that no phrase spans them. */
  skip(positions: number): void {
    this.#position += positions
  }

  /** Adds a word after the last one. */
  add(word: string, weight: Weight): void {
    this.#position++
    this.addAt(this.#position, word, weight)
  }

  /** Adds a word at a position that has another one, such as its stem: the first weight there counts. */
  addAt(position: number, word: string, weight: Weight): void {
    if (!this.fits) return
    const at = Math.min(position, MAX_POSITION)
    const letter = weight === 'D' ? '' : weight
    const known = this.#words.get(word)
    if (!known) {
      this.#words.set(word, { text: at + letter, last: at, count: 1 })
      this.#bytes += Buffer.byteLength(word) + 12
    } else if (known.count < MAX_POSITIONS && known.last !== at) {
      known.text += `,${at}${letter}`
      known.last = at
      known.count++
      this.#bytes += 2
    }
  }

  // Words consist of letters, digits, marks and emoji, so that they need no escaping.
  toString(): string {
    return Array.from(this.#words, ([word, { text }]) => `'${word}':${text}`).join(' ')
  }
}
