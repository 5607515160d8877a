/** A word of a text as it is indexed, and the place in the text that it comes from. */
export interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
  /** Of a script that does not part words: the word is two of its characters, or the last one of a run. */
  readonly dense: boolean
}

/** Longer words are cut, here and in queries: the database takes 2,046 bytes. */
const MAX_WORD = 64

const DENSE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\u30fc\u3005'
const RUN = new RegExp(`([${DENSE}]+)|[[\\p{L}\\p{N}\\p{M}]--[${DENSE}]]+`, 'vy')

/** Letters that carry what looks like an accent, but have no decomposition. */
const ALIKE: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
// Accents of Latin, Greek and Cyrillic, points of Hebrew, vowel marks of Arabic: what people leave out when they type.
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g

/** The form under which a word is indexed and looked for: without case and accents. */
export function foldWord(word: string): string {
  if (plainEnd(word, 0) === word.length) return word.toLowerCase().slice(0, MAX_WORD)
  const bare = word
    .normalize('NFKD')
    .toLowerCase()
    // NFKD makes of some letters and numbers several characters: of ½ a fraction, of ⒈ a number with a dot.
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
    .replace(ACCENTS, '')
    .replace(/[ßæœøłđðþħıς]/g, (letter) => ALIKE[letter] ?? letter)
    .normalize('NFC')
  return [...bare].slice(0, MAX_WORD).join('')
}

/** Told each word; false: that is enough for now. */
export type VisitWord = (word: string, start: number, end: number, dense: boolean) => boolean

/**
 * The words of a text in their order. Where a script does not part words, every two neighbouring characters are one, and
 * the last character of a run: whatever stands in the run is found as a phrase of such pairs.
 */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  eachWord(text, 0, (word, start, end, dense) => words.push({ word, start, end, dense }) > 0)
  return words
}

/**
 * Tells the same words one after the other, from a place on; returns the place to go on from, which is the end of the
 * text after the last. Nearly all words are plain letters, and are not worth a regular expression each.
 */
export function eachWord(text: string, from: number, visit: VisitWord): number {
  let at = from
  while (at < text.length) {
    const kind = kindOf(text.charCodeAt(at))
    if (kind === BETWEEN) {
      at++
      continue
    }
    const start = at
    if (kind === PLAIN) at = plainEnd(text, at)
    if (at < text.length && kindOf(text.charCodeAt(at)) === OTHER) {
      const [run, dense] = runAt(text, start) ?? []
      if (run === undefined) {
        at++
        continue
      }
      at = start + run.length
      if (dense !== undefined) {
        for (const { word, start: begin, end } of pairsOf(run, start)) {
          if (!visit(word, begin, end, true)) return behind(text, begin)
        }
        continue
      }
    }
    const word = foldWord(text.slice(start, at))
    if (word !== '' && !visit(word, start, at, false)) return at
  }
  return at
}

const BETWEEN = 0
const PLAIN = 1
const OTHER = 2
const KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-zA-Z0-9]/.test(String.fromCharCode(code)) ? PLAIN : BETWEEN,
)

function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] ?? BETWEEN) : OTHER
}

function plainEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && kindOf(text.charCodeAt(at)) === PLAIN) at++
  return at
}

/** Where the next character begins: the pairs from there on are those that were not told yet. */
function behind(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
}

function runAt(text: string, at: number): RegExpExecArray | null {
  RUN.lastIndex = at
  return RUN.exec(text)
}

function* pairsOf(run: string, offset: number): Generator<Word> {
  const characters = [...run]
  let start = offset
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1] ?? ''
    // NFKD may make several characters of one, such as a ligature: the pair is what stands there.
    const word = foldWord(character + next)
    if (word !== '') yield { word, start, end: start + character.length + next.length, dense: true }
    start += character.length
  }
}
