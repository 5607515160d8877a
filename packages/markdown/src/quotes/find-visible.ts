import { decodeHTML } from 'entities'
import { frontMatterEnd } from '../front-matter-block.ts'
import type { Passage } from './find-quote.ts'
import { countEqual } from './move-places.ts'
import { findAll } from './text-index.ts'

/** A text that a reader selected on a rendered page, and the visible text around it. */
export interface VisibleQuote {
  readonly text: string
  readonly before: string
  readonly after: string
}

/** What is not shown as it is written. Code spans are: nothing within them is a mark. */
const MARKS = [
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?<fence>`{3,}|~{3,}(?!~))(?<info>[^`\n]*)$/,
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+(?:\[[ xX]\][ \t])?/,
  // The definition of a link, an image, and a link after its text.
  /^[ \t>]*\[[^[\]\n^][^[\]\n]*\]:[ \t][^\n]*$/,
  /!\[[^[\]\n]*\](?:\([^()\n]*\)|\[[^[\]\n]*\])/,
  /\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)|\]\[[^[\]\n]*\]/,
  /(?<code>(?<!`)(?<ticks>`+)(?:[^`\n]|\n(?!\n))+\k<ticks>(?!`))/,
  /\[\^(?<note>[^[\]\n]+)\](?<definition>:)?/,
  /(?<comment><!--)|<\/?[a-zA-Z][\w-]*(?:\s[^<>]*)?\/?>/,
  /(?<entity>&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z\d]{2,32});)/,
]
const ANY_MARK = new RegExp(MARKS.map(({ source }) => source).join('|'), 'gm')

/**
 * The passage of a body that shows the selected text. Only letters, digits and the like are compared, and neither white
 * space nor punctuation: what the browser makes of blocks and of marks does not matter.
 */
export function findVisible(body: string, { text, before, after }: VisibleQuote): Passage | null {
  const page = readLetters(body)
  const selection = new Letters(text.length).add(text, 0)
  const [letters, exact] = [page.toString(), selection.toString()]
  const [left, right] = [toLetters(before), toLetters(after)]
  if (exact === '') return null
  let best = { index: -1, rank: -1 }
  const whole = findAll(letters, left + exact + right).map((index) => index + left.length)
  for (const index of whole.length > 0 ? whole : findAll(letters, exact)) {
    const equalLeft = countEqual(left, left.length, letters, index, -1)
    const rank = equalLeft + countEqual(right, 0, letters, index + exact.length, 1)
    if (rank > best.rank) best = { index, rank }
  }
  if (best.index === -1) return null
  let [start, end] = [page.starts[best.index] ?? 0, page.ends[best.index + exact.length - 1] ?? 0]
  let [from, to] = [selection.starts[0] ?? 0, selection.ends[exact.length - 1] ?? 0]
  // Punctuation at both ends, if it is written there.
  for (; isSame(text[from - 1], body[start - 1]); from--) start--
  for (; isSame(text[to], body[end]); to++) end++
  return { start, end }
}

function isSame(selected: string | undefined, written: string | undefined): boolean {
  return selected !== undefined && selected === written && selected.trim() !== ''
}

function readLetters(body: string): Letters {
  const page = new Letters(body.length)
  const notes = new Map<string, number>()
  let [at, fence] = [frontMatterEnd(body), '']
  for (const { 0: mark, index, groups = {} } of body.matchAll(ANY_MARK)) {
    const closesCode = groups.fence?.startsWith(fence) && groups.info?.trim() === ''
    if (index < at || (fence === '' ? groups.code : !closesCode)) continue
    page.add(body.slice(at, index), at)
    at = groups.comment ? endComment(body, index) : index + mark.length
    page.add(showMark(groups, notes), index, at)
    if (groups.fence) fence = fence === '' ? groups.fence : ''
  }
  return page.add(body.slice(at), at)
}

function endComment(body: string, start: number): number {
  const end = body.indexOf('-->', start)
  return end === -1 ? body.length : end + '-->'.length
}

/** What a reader sees of a mark: the character of an entity, the number of a footnote. */
function showMark({ entity, note, definition }: Record<string, string>, notes: Map<string, number>): string {
  if (entity) return decodeHTML(entity)
  if (!note || definition) return ''
  if (!notes.has(note)) notes.set(note, notes.size + 1)
  return String(notes.get(note))
}

/** The letters, digits and the like of a text, in lower case, and where they are in the source. */
class Letters {
  readonly #codes: Uint16Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  #count = 0

  constructor(size: number) {
    this.#codes = new Uint16Array(size)
    this.starts = new Uint32Array(size)
    this.ends = new Uint32Array(size)
  }

  /** Adds a text that is in the source from `start` on, or that the source shows for all that is before `end`. */
  add(text: string, start: number, end?: number): this {
    // The letter that is replaced is the only one whose lower case is longer.
    const letters = text.replaceAll('\u0130', 'i').toLowerCase()
    for (let at = 0; at < letters.length; at++) {
      const code = letters.charCodeAt(at)
      // Numbers of footnotes may be longer than their labels.
      if (isIgnored(code) || this.#count === this.#codes.length) continue
      this.#codes[this.#count] = code
      this.starts[this.#count] = end === undefined ? start + at : start
      this.ends[this.#count++] = end ?? start + at + 1
    }
    return this
  }

  toString(): string {
    return Buffer.from(this.#codes.buffer, 0, 2 * this.#count).toString('utf16le')
  }
}

/** Whether a character is white space, or ASCII punctuation, which marks consist of. */
function isIgnored(code: number): boolean {
  if (code < 0x80) return code < 0x30 || (code > 0x39 && code < 0x61) || code > 0x7a
  return code === 0xa0 || (code >= 0x2000 && code <= 0x200b) || (code >= 0x2028 && code <= 0x202f) || code === 0x3000
}

function toLetters(text: string): string {
  return new Letters(text.length).add(text, 0).toString()
}
