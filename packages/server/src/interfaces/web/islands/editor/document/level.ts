import type { Page } from './page.ts'

/** The lines of a container, and where its content begins in each of them. */
export interface Level {
  readonly firstLine: number
  readonly offsets: readonly number[]
  /** What Recto writes before further lines of the container. */
  readonly prefix: string
  /** Whether no tab is in part indentation of the container and in part of its content. */
  readonly isWhole: boolean
}

/** The lines of a page from `first` to before `last`. */
export type Lines = readonly [first: number, last: number]

const MARKER = /^[ \t]*(?:[-+*]|\d{1,9}[.)])/

/** Where the content of a level begins in a line. */
export function findOffset(level: Level, line: number): number {
  return level.offsets[line - level.firstLine] ?? 0
}

/** The level of the content of a list item. */
export function enterItem(page: Page, level: Level, lines: Lines): Level {
  const start = findOffset(level, lines[0])
  const end = page.ends[lines[0]] ?? start
  const markerEnd = start + (MARKER.exec(page.text.slice(start, end))?.[0].length ?? 0)
  const rest = page.text.slice(markerEnd, end)
  const textStart = markerEnd + rest.length - rest.trimStart().length
  const column = (offset: number) => measureColumn(page, lines[0], offset) - findColumn(page, level, lines[0])
  const isIndented = textStart < end && column(textStart) - column(markerEnd) <= 4
  const width = isIndented ? column(textStart) : column(markerEnd) + 1
  const contentStart = isIndented ? textStart : Math.min(markerEnd + 1, end)
  const isWhole = isIndented || page.text[markerEnd] !== '\t'
  return enter(page, level, lines, { prefix: ' '.repeat(width), width, contentStart, isWhole })
}

/** The level of the content of a footnote. */
export function enterFootnote(page: Page, level: Level, lines: Lines): Level {
  const start = findOffset(level, lines[0])
  const label = /^[ \t]*\[\^[^\]]*\]:[ \t]*/.exec(page.text.slice(start, page.ends[lines[0]]))?.[0] ?? ''
  return enter(page, level, lines, { prefix: '    ', width: 4, contentStart: start + label.length, isWhole: true })
}

function enter(
  page: Page,
  level: Level,
  [first, last]: Lines,
  {
    prefix,
    width,
    contentStart,
    isWhole,
  }: { readonly prefix: string; readonly width: number; readonly contentStart: number; readonly isWhole: boolean },
): Level {
  const offsets = [contentStart]
  let isWholeLevel = level.isWhole && isWhole
  for (let line = first + 1; line < last; line++) {
    const skip = skipColumns(page, line, { from: findOffset(level, line), to: findColumn(page, level, line) + width })
    isWholeLevel &&= skip.isWhole
    offsets.push(skip.at)
  }
  return { firstLine: first, offsets, prefix: level.prefix + prefix, isWhole: isWholeLevel }
}

/** The level of the content of a quotation. Lines without a mark continue a paragraph. */
export function enterQuote(page: Page, level: Level, [first, last]: Lines): Level {
  const offsets: number[] = []
  let { isWhole } = level
  for (let line = first; line < last; line++) {
    const start = findOffset(level, line)
    const [mark = ''] = /^[ \t]*> ?/.exec(page.text.slice(start, page.ends[line])) ?? []
    if (mark.endsWith('>') && page.text[start + mark.length] === '\t') isWhole = false
    offsets.push(start + mark.length)
  }
  return { firstLine: first, offsets, prefix: `${level.prefix}> `, isWhole }
}

function skipColumns(
  page: Page,
  line: number,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly at: number; readonly isWhole: boolean } {
  let column = measureColumn(page, line, from)
  let at = from
  for (; column < to; at++) {
    const char = page.text[at]
    if (char !== ' ' && char !== '\t') break
    const next = char === ' ' ? column + 1 : column + 4 - (column % 4)
    if (next > to) return { at, isWhole: false }
    column = next
  }
  return { at, isWhole: true }
}

/** The column at which the content of a level begins, also within a tab. */
function findColumn(page: Page, level: Level, line: number): number {
  return level.isWhole ? measureColumn(page, line, findOffset(level, line)) : level.prefix.length
}

function measureColumn({ text, starts }: Page, line: number, offset: number): number {
  let column = 0
  for (let at = starts[line] ?? 0; at < offset; at++) column += text[at] === '\t' ? 4 - (column % 4) : 1
  return column
}
