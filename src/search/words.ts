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
const RUNS = new RegExp(`([${DENSE}]+)|[[\\p{L}\\p{N}\\p{M}]--[${DENSE}]]+`, 'gv')

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
  if (/^[a-zA-Z0-9]*$/.test(word)) return word.toLowerCase().slice(0, MAX_WORD)
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

/**
 * The words of a text in their order. Where a script does not part words, every two neighbouring characters are one, and
 * the last character of a run: whatever stands in the run is found as a phrase of such pairs.
 */
export function* wordsOf(text: string): Generator<Word> {
  for (const match of text.matchAll(RUNS)) {
    const [run, dense] = match
    if (dense !== undefined) {
      yield* pairsOf(run, match.index)
      continue
    }
    const word = foldWord(run)
    if (word !== '') yield { word, start: match.index, end: match.index + run.length, dense: false }
  }
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
