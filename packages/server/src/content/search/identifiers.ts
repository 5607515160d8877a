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
