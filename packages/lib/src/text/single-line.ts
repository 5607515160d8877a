/*
 * The rule for text of one line: names, titles, notes, labels, paths. Unicode TR 36 and TR 55: without what a reader
 * does not see, or what makes lines, moves other text or reaches a terminal. Joiners stay where scripts and emoji need
 * them.
 */

/** C0, C1, line and paragraph separators, bidirectional controls, lone surrogates, and marks of annotations. */
const CONTROLS = String.raw`\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\p{Cs}\u{fff9}-\u{fffb}`
/** Scripts in which no joiner changes the form of a letter. */
const UNJOINED = ['Latin', 'Greek', 'Cyrillic', 'Han', 'Hiragana', 'Katakana', 'Hangul']
const UNJOINED_LETTERS = UNJOINED.map((script) => String.raw`\p{sc=${script}}`).join('')
/** Letters of all other scripts. */
const JOINED = String.raw`[[\p{L}\p{M}]--[${UNJOINED_LETTERS}\u{300}-\u{36f}]]`
const WORD = String.raw`[\p{L}\p{M}\p{N}]`
const PICTURE = String.raw`[\p{Extended_Pictographic}\p{EMod}\u{fe0f}\u{20e3}\u{e007f}]`
const TAG = String.raw`[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]`

/** Invisible characters that belong to the character before or after them. */
const USED = [
  // Persian and Arabic words, and Indic conjuncts.
  String.raw`(?<=${JOINED})[\u{200c}\u{200d}](?=${WORD})`,
  String.raw`(?<=${WORD})[\u{200c}\u{200d}](?=${JOINED})`,
  String.raw`(?<=[${JOINED}&&\p{M}])[\u{200c}\u{200d}]`,
  String.raw`(?<=\p{sc=Arabic})\u{200d}`,
  // Sequences of emoji, their variants, keycaps and flags.
  String.raw`(?<=${PICTURE})\u{200d}(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\u{fe0e}\u{fe0f}]`,
  String.raw`(?<=[#*0-9])\u{fe0f}(?=\u{20e3})`,
  String.raw`(?<=\u{1f3f4}${TAG}{0,6})${TAG}(?=${TAG}{0,6}\u{e007f})`,
  String.raw`(?<=\u{1f3f4}${TAG}{1,7})\u{e007f}`,
  // Variants of ideographs and of letters.
  String.raw`(?<=\p{sc=Han})[\u{fe00}-\u{fe02}\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=[\p{sc=Myanmar}\p{Sm}])\u{fe00}`,
  String.raw`(?<=\p{sc=Mongolian})[\u{180b}-\u{180f}]`,
].join('|')

const HIDDEN = `[${CONTROLS}]|(?!${USED})\\p{Default_Ignorable_Code_Point}`
const ANY_HIDDEN = new RegExp(HIDDEN, 'v')
const ALL_HIDDEN = new RegExp(HIDDEN, 'gv')
const ALL_INVISIBLE = new RegExp(`[${CONTROLS}\\p{Default_Ignorable_Code_Point}]`, 'gv')
const BREAK = /[\s\p{Zl}\p{Zp}\u0085]/u

/** What is wrong with a text that is not of one line, for error messages. */
export const SINGLE_LINE_RULE = 'must be one line, without control characters, direction marks and invisible characters'

/** Whether the text has no character that the rule for one line forbids. */
export function isSingleLine(text: string): boolean {
  return !ANY_HIDDEN.test(text)
}

/** A stored text in one line, for readers: what the rule forbids is seen, all else is as it was. */
export function showLine(text: string): string {
  return withoutHidden(text, '\ufffd')
}

/** A value as JSON in one line: what the rule forbids is escaped, so that it is the same value. */
export function jsonLine(value: unknown): string {
  return replaceHidden(JSON.stringify(value), (units) =>
    units.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** A text of another service in one line, to be stored: without what the rule forbids. */
export function cleanLine(text: string): string {
  return withoutHidden(text, '').replace(/\s+/gu, ' ').trim()
}

/** A text of an export, to be stored: as it is if the rule allows it, for an earlier release has stored others. */
export function keepLine(text: string): string {
  return isSingleLine(text) ? text.trim() : cleanLine(text)
}

/** The first text with something to see, as a name of at most `max` UTF-16 code units. */
export function cleanName(texts: readonly unknown[], max: number): string {
  for (const text of texts) {
    // The cut may leave half of a character, or a joiner alone.
    const line = typeof text === 'string' ? cleanLine(cleanLine(text).slice(0, max)) : ''
    if (line !== '') return line
  }
  return 'Somebody'
}

function withoutHidden(text: string, instead: string): string {
  return replaceHidden(text, (character) => (BREAK.test(character) ? ' ' : instead))
}

function replaceHidden(text: string, replacement: (character: string) => string): string {
  const line = text.replace(ALL_HIDDEN, replacement)
  // A joiner may have lost the character that it belonged to.
  return isSingleLine(line) ? line : line.replace(ALL_INVISIBLE, replacement)
}
