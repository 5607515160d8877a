import { setImmediate as turn } from 'node:timers/promises'
import { plainText } from './plain-text.ts'
import { eachWord } from './words.ts'

/** The search index entry of a page: two `tsvector` texts, of the title and of title and body. */
export interface IndexedText {
  readonly title: string
  readonly all: string
}

// PostgreSQL's limits of a tsvector: positions of 14 bits, 256 positions a word, 1 MiB for words and positions.
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
const MAX_BYTES = 600_000
/** Between the title and the body, so that no phrase spans them. */
const GAP = 100
/** The event loop gets a turn after so many words. */
const WORDS_A_TURN = 20_000
/** The rest of a longer body is not indexed. */
const MAX_TEXT = 4 * 1024 * 1024

/** Tokenises a page for the index. It yields to the event loop in between, and never fails. */
export async function indexedText(title: string, body: string): Promise<IndexedText> {
  const all = startVector()
  const titleVector = startVector()
  eachWord(title, 0, (word) => {
    titleVector.add(word, 'A')
    return all.add(word, 'A')
  })
  all.skip(GAP)
  const text = plainText(body.slice(0, MAX_TEXT))
  let fits = true
  for (let at = 0; at < text.length && fits; ) {
    if (at > 0) await turn()
    let count = 0
    at = eachWord(text, at, (word) => {
      fits = all.add(word, '')
      return fits && ++count < WORDS_A_TURN
    })
  }
  return { title: titleVector.text(), all: all.text() }
}

/** The positions of a word as text, the last of them, and their number. */
interface Positions {
  text: string
  last: number
  count: number
}

function startVector() {
  const words = new Map<string, Positions>()
  let position = 0
  let bytes = 0
  return {
    skip: (positions: number) => {
      position += positions
    },
    /** False when nothing more fits. */
    add(word: string, weight: 'A' | ''): boolean {
      const at = Math.min(++position, MAX_POSITION)
      const known = words.get(word)
      if (!known) {
        words.set(word, { text: at + weight, last: at, count: 1 })
        bytes += Buffer.byteLength(word) + 12
      } else if (known.count < MAX_POSITIONS && known.last !== at) {
        known.text += `,${at}${weight}`
        known.last = at
        known.count++
        bytes += 2
      }
      return bytes < MAX_BYTES
    },
    // Words are letters, digits and marks: nothing in them would end the quotes.
    text: () => Array.from(words, ([word, { text }]) => `'${word}':${text}`).join(' '),
  }
}
