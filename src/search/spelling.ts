/** The alphabets from which replacement letters are taken. */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
]
const WORD = /^[\p{L}\p{M}]{3,32}$/u

/**
 * * The words at Damerau-Levenshtein distance 1 from a misspelt one: one letter inserted, deleted or replaced, or two
 * neighbours transposed. None for a word with digits, or in a script without letters.
 */
export function spellings(word: string): readonly string[] {
  const letters = [...word]
  const alphabet = ALPHABETS.find((alphabet) => alphabet.includes(letters[0] ?? ''))
  if (alphabet === undefined || !WORD.test(word)) return []
  const found = new Set<string>()
  for (let at = 0; at <= letters.length; at++) {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at)]
    const [first = '', second = '', ...rest] = after
    if (after.length > 0) found.add(before + after.slice(1).join(''))
    if (after.length > 1) found.add(before + second + first + rest.join(''))
    for (const letter of alphabet) {
      found.add(before + letter + after.join(''))
      if (after.length > 0) found.add(before + letter + after.slice(1).join(''))
    }
  }
  found.delete(word)
  return [...found].filter((spelling) => WORD.test(spelling))
}
