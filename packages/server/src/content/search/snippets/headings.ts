import { analysePage } from '@recto/markdown/analyse.ts'

const ATX = /^ {0,3}#{1,6}(?=[ \t])/
const SETEXT = /^ {0,3}(?:=+|-+)[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const MAX_LENGTH = 200

/** The texts of all headings of a body, found by lines, so approximate: it runs for every key that is typed. */
export function listHeadings(body: string): string[] {
  return Array.from(headingsIn(body.split('\n')), cleaned).filter((heading) => heading !== undefined)
}

function cleaned(heading: string): string | undefined {
  const text = analysePage(`# ${heading}`).title
  return text === undefined ? undefined : [...text].slice(0, MAX_LENGTH).join('')
}

/** The headings of lines, as written. */
function* headingsIn(body: readonly string[]): Generator<string> {
  const lines = body.map((text) => text.replace(/\r$/, ''))
  let fence: string | undefined
  const first = frontMatterLines(lines)
  for (const [index, text] of lines.slice(first).entries()) {
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
