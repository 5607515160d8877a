/** A word in its indexed form, and its place in the text. */
export interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
  /** From a script without spaces, such as CJK or Thai: the word is a bigram, or the last character of a run. */
  readonly cjk: boolean
}

/** Longer words are cut, here and in queries: the database takes 2,046 bytes. */
const MAX_WORD = 64

const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const UNSEGMENTED = `${SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}\u30fc\u3005`
/** An emoji is a word of its own, whatever its colour and the others that it is joined with. */
const EMOJI = '[[\\p{Extended_Pictographic}\\p{Regional_Indicator}]--[\\u00a9\\u00ae\\u2122]]'
const RUN = new RegExp(`([${UNSEGMENTED}]+)|${EMOJI}|[[\\p{L}\\p{N}\\p{M}]--[${UNSEGMENTED}]]+`, 'vy')

/** Letters that look accented, but have no decomposition in Unicode. */
const BASE_LETTERS: Readonly<Record<string, string>> = {
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
// Accents of Latin, Greek and Cyrillic, points of Hebrew, vowel marks of Arabic: people leave them out when they type.
const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g

/** Normalises a word for the index and for queries: no case, no accents (NFKD, case folding). */
export function foldWord(word: string): string {
  if (plainEnd(word, 0) === word.length) return word.toLowerCase().slice(0, MAX_WORD)
  const bare = word
    .normalize('NFKD')
    .toLowerCase()
    // NFKD makes of some letters and numbers several characters: of ½ a fraction, of ⒈ a number with a dot.
    .replace(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Regional_Indicator}]+/gu, '')
    .replace(ACCENTS, '')
    .replace(/[ßæœøłđðþħıς]/g, (letter) => BASE_LETTERS[letter] ?? letter)
    .normalize('NFC')
  return [...bare].slice(0, MAX_WORD).join('')
}

/** Called for each word; false ends the iteration. */
export type VisitWord = (word: string, start: number, end: number, cjk: boolean) => boolean

/**
 * Tokenises a text. Runs of a script without spaces between words become bigrams, and the last character of a run one
 * more word: any part of the run is found as a phrase of bigrams.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = []
  eachWord(text, 0, (word, start, end, cjk) => words.push({ word, start, end, cjk }) > 0)
  return words
}

/** Visits the same words from an offset on. Returns where to continue: the end of the text after the last word. */
export function eachWord(text: string, from: number, visit: VisitWord): number {
  return eachRun(text, from, (start, end, cjk) => {
    const word = foldWord(text.slice(start, end))
    return word === '' || visit(word, start, end, cjk)
  })
}

/** Called for the place of each word; false ends the iteration. */
export type VisitRun = (start: number, end: number, cjk: boolean) => boolean

/**
 * Visits the places of the words as they are written; of some nothing is left when they are folded. Nearly all words
 * are ASCII; those are found without a regular expression, for speed.
 */
export function eachRun(text: string, from: number, visit: VisitRun): number {
  let at = from
  while (at < text.length) {
    const kind = classify(text.charCodeAt(at))
    if (kind === BETWEEN) {
      at++
      continue
    }
    const start = at
    if (kind === PLAIN) at = plainEnd(text, at)
    if (at < text.length && classify(text.charCodeAt(at)) === OTHER) {
      const [run, unsegmented] = runAt(text, start) ?? []
      if (run === undefined) {
        at++
        continue
      }
      at = start + run.length
      if (unsegmented !== undefined) {
        const stopOffset = eachBigram(run, start, visit)
        if (stopOffset !== undefined) return stopOffset
        continue
      }
    }
    if (!visit(start, at, false)) return at
  }
  return at
}

const BETWEEN = 0
const PLAIN = 1
const OTHER = 2
const KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-zA-Z0-9]/.test(String.fromCharCode(code)) ? PLAIN : BETWEEN,
)

function classify(code: number): number {
  return code < 128 ? (KINDS[code] ?? BETWEEN) : OTHER
}

function plainEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && classify(text.charCodeAt(at)) === PLAIN) at++
  return at
}

function runAt(text: string, at: number): RegExpExecArray | null {
  RUN.lastIndex = at
  return RUN.exec(text)
}

/** Where it was stopped, if it was: the bigrams from the next character on were not visited. */
function eachBigram(run: string, offset: number, visit: VisitRun): number | undefined {
  const characters = [...run]
  let start = offset
  for (const [index, character] of characters.entries()) {
    // NFKD may make several characters of one, such as a ligature: a bigram is two characters of the text.
    const next = start + character.length
    if (!visit(start, next + (characters[index + 1] ?? '').length, true)) return next
    start = next
  }
  return undefined
}

/** The maximum of parts: a longer name is not joined, and a longer word not split, since it is data. */
export const MAX_PARTS = 6
const MAX_JOINED = 40
/** `getUserById`, `HTMLParser`, `x86`, `v2`: a change of case, or between letters and digits. */
const SPLIT = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu
const CHANGES = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u
/** The separators within one name, such as `Get-ChildItem`, `snake_case` and `v2.4.1`. */
const JOINTS = new Set(['-', '_', '.', "'", '’', '\u2010', '\u2011'])

/** The parts of a compound word, such as `get`, `User` and `Id` of `getUserId`; none if it has no parts. */
export function splitParts(word: string): readonly string[] {
  if (word.length > MAX_JOINED || !CHANGES.test(word)) return []
  const parts = word.match(SPLIT) ?? []
  // A mixture of letters and digits is a hash, unless it is a name with a number.
  const mixedCount = parts.filter((part) => /^\p{N}/u.test(part)).length
  return parts.length > 1 && parts.length <= MAX_PARTS && mixedCount <= 1 && (mixedCount === 0 || parts.length <= 3)
    ? parts
    : []
}

/** Whether two words of a text belong to one name, by the text between them. */
export function isJoint(text: string, end: number, start: number): boolean {
  return start === end + 1 && JOINTS.has(text[end] ?? '')
}

/** The joined words of a name, such as `getchilditem`; undefined for one word, or a number with points. */
export function joined(words: readonly string[]): string | undefined {
  if (words.length < 2 || words.length > MAX_PARTS) return undefined
  const name = words.join('')
  return name.length <= MAX_JOINED && /\p{L}/u.test(name) ? name : undefined
}
