import { diffLists } from '@recto/lib/text/diff.ts'

/** A segment of a line, and whether it differs from the other line. */
export interface LineSegment {
  readonly text: string
  readonly changed: boolean
}

export interface WordDiff {
  readonly before: readonly LineSegment[]
  readonly after: readonly LineSegment[]
}

const WORDS = /[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu
const MAX_CHARACTERS = 10_000
const MAX_EDITS = 200
/** Lines with a lower similarity are not a changed pair. */
const ALIKE = 0.3

/** Word diff of two lines; no word is marked if they have little in common. */
export function diffWords(before: string, after: string): WordDiff {
  const plain = { before: whole(before), after: whole(after) }
  if (before.length > MAX_CHARACTERS || after.length > MAX_CHARACTERS) return plain
  const [a, b] = [splitWords(before), splitWords(after)]
  const runs = diffLists(a, b, MAX_EDITS)
  const pieces = (words: readonly string[], side: 'a' | 'b') =>
    runs
      .map((run) => ({ text: words.slice(...run[side]).join(''), changed: !run.same }))
      .filter(({ text }) => text !== '')
  const wordPieces = { before: pieces(a, 'a'), after: pieces(b, 'b') }
  const same = wordPieces.before.reduce((sum, { text, changed }) => sum + (changed ? 0 : text.trim().length), 0)
  return same < ALIKE * Math.max(before.trim().length, after.trim().length) ? plain : wordPieces
}

/** Words, white space, and other characters one by one. */
export function splitWords(text: string): readonly string[] {
  return text.match(WORDS) ?? []
}

function whole(text: string): LineSegment[] {
  return [{ text, changed: false }]
}
