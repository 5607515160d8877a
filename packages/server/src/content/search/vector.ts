/** Weights of a `tsvector`, highest first. */
export type Weight = 'A' | 'B' | 'C' | 'D'

/** The two high bits of a place, which has its position as well (`WordEntryPos`). */
const WEIGHTS = { A: 3 << 14, B: 2 << 14, C: 1 << 14, D: 0 } as const

// PostgreSQL's limits of a tsvector: positions of 14 bits, 256 positions a word, 1 MiB for words and positions.
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
const MAX_BYTES = 600_000

const COUNT_BYTES = 4
/** Of each word: the byte that ends it, and the number of its places. */
const WORD_BYTES = 3
const PLACE_BYTES = 2

/** A word in a vector, and its places by position. */
interface Entry {
  readonly lexeme: Lexeme
  readonly places: number[]
}

/** A word of all texts, with its entry in the vector that is being built: no lookup for every word of a text. */
export class Lexeme {
  readonly word: string
  readonly bytes: number
  /** The number of a vector, and the index of the entry there: numbers, so that nothing of a vector outlives it. */
  vector = 0
  index = 0

  constructor(word: string) {
    this.word = word
    this.bytes = Buffer.byteLength(word)
  }
}

let vectors = 0

/** Builds a `tsvector`. Another one may be built in between after `resume`. */
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

  /** Adds a word at a position that may have another one, such as its stem; each counts once, with its first weight. */
  addAt(position: number, lexeme: Lexeme, weight: Weight): void {
    if (this.#bytes >= MAX_BYTES) return
    const place = (position < MAX_POSITION ? position : MAX_POSITION) | WEIGHTS[weight]
    const entry = lexeme.vector === this.#number ? this.#entries[lexeme.index] : undefined
    if (entry === undefined) {
      this.#point(lexeme, this.#entries.length)
      this.#entries.push({ lexeme, places: [place] })
      this.#bytes += lexeme.bytes + 12
    } else if (entry.places.length < MAX_POSITIONS && addPlace(entry.places, place)) {
      this.#bytes += PLACE_BYTES
    }
  }

  #point(lexeme: Lexeme, index: number): void {
    lexeme.vector = this.#number
    lexeme.index = index
  }

  /** The vector in the binary format of PostgreSQL (`tsvector_recv`), in memory that a worker can transfer. */
  toBytes(): Uint8Array {
    const size = this.#entries.reduce(
      (sum, { lexeme, places }) => sum + lexeme.bytes + WORD_BYTES + places.length * PLACE_BYTES,
      COUNT_BYTES,
    )
    const buffer = Buffer.allocUnsafeSlow(size)
    let at = buffer.writeInt32BE(this.#entries.length)
    for (const { lexeme, places } of this.#entries) {
      at = writeWord(buffer, at, lexeme)
      buffer[at++] = 0
      at = writeShort(buffer, at, places.length)
      for (const place of places) at = writeShort(buffer, at, place)
    }
    return new Uint8Array(buffer.buffer)
  }
}

/** Adds a place by its position; false: the word is there already. Only whole names come after later words. */
function addPlace(places: number[], place: number): boolean {
  const position = toPosition(place)
  let index = places.length
  while (index > 0 && toPosition(places[index - 1]) > position) index--
  if (index > 0 && toPosition(places[index - 1]) === position) return false
  if (index === places.length) places.push(place)
  else places.splice(index, 0, place)
  return true
}

function toPosition(place = 0): number {
  return place & MAX_POSITION
}

/** Nearly all words are ASCII: to write such a one here takes less than a call. */
function writeWord(buffer: Buffer, at: number, { word, bytes }: Lexeme): number {
  if (bytes !== word.length) return at + buffer.write(word, at)
  for (let index = 0; index < bytes; index++) buffer[at + index] = word.charCodeAt(index)
  return at + bytes
}

function writeShort(buffer: Buffer, at: number, value: number): number {
  buffer[at] = value >> 8
  buffer[at + 1] = value & 0xff
  return at + 2
}
