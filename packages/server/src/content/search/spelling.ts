/** The alphabets from which replacement letters are taken. */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
]
/** A word that is corrected. */
export const WORD = /^[\p{L}\p{M}]{3,32}$/u

/** A candidate for the correction of a word. */
export interface Spelling {
  readonly words: string
  /** The `tsquery`: weights distinguish words of titles (A) and texts (C) from stems, which have other weights. */
  readonly text: string
  /** The likelihood of the mistake, relative to others. */
  readonly likelihood: number
}

/** The likelihood of a wrong first letter. */
const WRONG_FIRST_LETTER = 0.1
const MIN_PART = 2

/** The candidates for a misspelt word: words that differ by one letter, and pairs of words that it joins. */
export function listSpellings(word: string): readonly Spelling[] {
  const letters = [...word]
  const alike = differingByOne(word, letters).map((words) => ({
    words,
    text: `'${words}':AC`,
    likelihood: words[0] === word[0] ? 1 : WRONG_FIRST_LETTER,
  }))
  const ends = WORD.test(word) ? letters.slice(MIN_PART, 1 - MIN_PART).keys() : []
  const parts = Array.from(ends, (at) => [
    letters.slice(0, at + MIN_PART).join(''),
    letters.slice(at + MIN_PART).join(''),
  ])
  const split = parts.map(([first, second]) => ({
    words: `${first} ${second}`,
    text: `('${first}':AC <-> '${second}':AC)`,
    likelihood: 1,
  }))
  return [...alike, ...split]
}

/**
 * The words at Damerau-Levenshtein distance 1 from a misspelt one: one letter inserted, deleted or replaced, or two
 * neighbours transposed. None for a word with digits, or in a script without letters.
 */
function differingByOne(word: string, letters: readonly string[]): readonly string[] {
  const alphabet = ALPHABETS.find((alphabet) => alphabet.includes(letters[0] ?? ''))
  if (alphabet === undefined || !WORD.test(word)) return []
  const spellings = new Set<string>()
  for (let at = 0; at <= letters.length; at++) {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at)]
    const [first = '', second = '', ...rest] = after
    if (after.length > 0) spellings.add(before + after.slice(1).join(''))
    if (after.length > 1) spellings.add(before + second + first + rest.join(''))
    for (const letter of alphabet) {
      spellings.add(before + letter + after.join(''))
      if (after.length > 0) spellings.add(before + letter + after.slice(1).join(''))
    }
  }
  spellings.delete(word)
  return [...spellings].filter((spelling) => WORD.test(spelling))
}
