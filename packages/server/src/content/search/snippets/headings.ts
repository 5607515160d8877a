import { plainText } from '../plain-text.ts'

const ATX = /^ {0,3}#{1,6}(?=[ \t])/
const SETEXT = /^ {0,3}(?:=+|-+)[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const MAX_LENGTH = 200

/**
 * The text of the heading above a line of a body, or at it; undefined before the first one. Found by lines without a
 * Markdown parse, so approximate.
 */
export function headingAbove(body: string, line: number): string | undefined {
  const lines = body.split('\n', line + 1)
  let nearestHeading: string | undefined
  for (const heading of headingsIn(lines, line)) nearestHeading = heading
  return nearestHeading === undefined ? undefined : cleaned(nearestHeading)
}

/** The texts of all headings of a body, found in the same way. */
export function listHeadings(body: string): string[] {
  const lines = body.split('\n')
  return Array.from(headingsIn(lines, lines.length), cleaned).filter((heading) => heading !== undefined)
}

function cleaned(heading: string): string | undefined {
  const text = plainText(heading).replace(/\s+/g, ' ').trim()
  return text === '' ? undefined : [...text].slice(0, MAX_LENGTH).join('')
}

/** The headings of lines, as written. */
function* headingsIn(body: readonly string[], end: number): Generator<string> {
  const lines = body.map((text) => text.replace(/\r$/, ''))
  let fence: string | undefined
  const first = frontMatterLines(lines)
  for (const [index, text] of lines.slice(first, end).entries()) {
    const mark = FENCE.exec(text)?.[1]
    const before = fence
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
    if (before !== undefined || mark !== undefined) continue
    const heading = atxHeading(text) ?? setextHeading(text, lines[first + index + 1] ?? '')
    if (heading !== undefined) yield heading
  }
}

function setextHeading(line: string, below: string): string | undefined {
  return SETEXT.test(below) && /^ {0,3}[^\s>#|*+-]/.test(line) ? line : undefined
}

/** The text of an ATX heading (CommonMark 4.2), without its closing sequence. */
function atxHeading(line: string): string | undefined {
  const mark = ATX.exec(line)?.[0]
  if (mark === undefined) return undefined
  const text = line.slice(mark.length).trim()
  let end = text.length
  while (text[end - 1] === '#') end--
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end) : text
}

function frontMatterLines(lines: readonly string[]): number {
  if (!/^\ufeff?---[ \t]*$/.test(lines[0] ?? '')) return 0
  const end = lines.findIndex((text, index) => index > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(text))
  return end + 1
}
