/** Weights of a `tsvector`: what counts most first. */
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

/** A `tsvector` in the making, as the text that PostgreSQL reads. */
export class Vector {
  readonly #words = new Map<string, Positions>()
  #position = 0
  #bytes = 0

  /** Whether another word fits. */
  get fits(): boolean {
    return this.#bytes < MAX_BYTES
  }

  /** Where the last word is. */
  get position(): number {
    return this.#position
  }

  /** Leaves positions free: no phrase spans them. */
  skip(positions: number): void {
    this.#position += positions
  }

  /** Adds a word behind the last one. */
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

  // Words are letters, digits, marks and emoji: nothing in them would end the quotes.
  toString(): string {
    return Array.from(this.#words, ([word, { text }]) => `'${word}':${text}`).join(' ')
  }
}
