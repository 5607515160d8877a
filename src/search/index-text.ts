import { setImmediate as turn } from 'node:timers/promises'
import { plainText } from './plain-text.ts'
import { wordsOf } from './words.ts'

/** What is stored of a page to find it by: two vectors as the database reads them, of the title and of everything. */
export interface IndexedText {
  readonly title: string
  readonly all: string
}

// What the database takes of one vector: a position of 14 bits, 256 positions a word, 1 MiB for words and positions.
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
const MAX_BYTES = 600_000
/** Between the title and the body, so that no phrase spans them. */
const GAP = 100
/** Others have their turn after so many words. */
const WORDS_A_TURN = 20_000
/** What stands behind this in a body is not searched. */
const MAX_TEXT = 4 * 1024 * 1024

/** Takes the words of a page apart for the index. It gives way to others in between, and never fails. */
export async function indexedText(title: string, body: string): Promise<IndexedText> {
  const all = startVector()
  const own = startVector()
  for (const { word } of wordsOf(title)) {
    own.add(word, 'A')
    all.add(word, 'A')
  }
  all.skip(GAP)
  let count = 0
  for (const { word } of wordsOf(plainText(body.slice(0, MAX_TEXT)))) {
    if (!all.add(word, '')) break
    if (++count % WORDS_A_TURN === 0) await turn()
  }
  return { title: own.text(), all: all.text() }
}

function startVector() {
  const places = new Map<string, string[]>()
  let position = 0
  let bytes = 0
  return {
    skip: (positions: number) => {
      position += positions
    },
    /** False when nothing more fits. */
    add(word: string, weight: 'A' | ''): boolean {
      position++
      const at = `${Math.min(position, MAX_POSITION)}${weight}`
      const known = places.get(word)
      if (known) {
        if (known.length < MAX_POSITIONS && known.at(-1) !== at) {
          known.push(at)
          bytes += 2
        }
        return bytes < MAX_BYTES
      }
      places.set(word, [at])
      bytes += Buffer.byteLength(word) + 12
      return bytes < MAX_BYTES
    },
    // Words are letters, digits and marks: nothing in them would end the quotes.
    text: () => Array.from(places, ([word, at]) => `'${word}':${at.join(',')}`).join(' '),
  }
}
