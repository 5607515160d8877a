import { findMaximum } from '@recto/lib/extremes.ts'
import { showLine } from '@recto/lib/text/single-line.ts'
import type { Terminal } from './command.ts'

export interface Column<T> {
  readonly title: string
  readonly of: (item: T) => string | number | null | undefined
  readonly right?: boolean
  /** How to truncate if the terminal is too narrow: first the columns cut at the end, then those cut in the middle. */
  readonly cut?: true | 'middle'
}

const GAP = '  '
const MIN_WIDTH = 8
/** Characters that take two columns: East Asian wide characters and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const segmenter = new Intl.Segmenter()

/** Prints items as a table that fits the terminal; prints nothing if there are none. */
export function printTable<T>(terminal: Terminal, columns: readonly Column<T>[], items: readonly T[]): void {
  if (items.length === 0) return
  const rows = items.map((item) => columns.map(({ of }) => oneLine(String(of(item) ?? ''))))
  const widths = columns.map(({ title }, at) =>
    Math.max(measureWidth(title), findMaximum(rows.map((row) => measureWidth(row[at] ?? '')))),
  )
  if (terminal.width !== undefined) fit(widths, columns, terminal.width)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => pad(cell, widths[at] ?? 0, columns[at]))
      .join(GAP)
      .trimEnd()
  const head = line(columns.map(({ title }) => title))
  terminal.out(`${bold(terminal, head)}\n${rows.map((row) => `${line(row)}\n`).join('')}`)
}

/** A stored text in one line, without characters that the terminal could execute. */
export const oneLine = showLine

const ALL_HIDDEN = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
/** Our own styles (never the one that conceals), erasures and returns of the line, or what is hidden. */
const TERMINAL_CONTROL = new RegExp(String.raw`(\u001b\[(?:(?!8m)\d{0,2}m|\d?K)|\r)|${ALL_HIDDEN.source}`, 'gu')

/** Text of several lines without them. */
export function visible(text: string): string {
  return text.replace(ALL_HIDDEN, '\ufffd')
}

/** A text for a terminal, whoever wrote it: only our own styles are executed, and no direction mark hides text. */
export function forTerminal(text: string): string {
  return text.replace(TERMINAL_CONTROL, (_, own?: string) => own ?? '\ufffd')
}

/** A time in the local zone, to the minute. */
export function timeText(time: string | null | undefined): string {
  if (!time) return ''
  const date = new Date(time)
  const two = (number: number) => String(number).padStart(2, '0')
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}`
  )
}

/** Bold, if the terminal shows colours. */
export function bold(terminal: Terminal, text: string): string {
  return terminal.colour ? `\u001b[1m${text}\u001b[0m` : text
}

/** Dimmed, if the terminal shows colours. */
export function dim(terminal: Terminal, text: string): string {
  return terminal.colour ? `\u001b[2m${text}\u001b[0m` : text
}

/** Number of terminal columns of a text. */
export function measureWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

/** Narrows the widest column until the rows fit: first those that are cut at the end, then those cut in the middle. */
function fit<T>(widths: number[], columns: readonly Column<T>[], max: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)
  for (const kind of [true, 'middle'] as const) {
    while (total() > max) {
      const widest = columns
        .map(({ cut }, at) => ({ at, width: cut === kind ? (widths[at] ?? 0) : 0 }))
        .reduce((one, other) => (other.width > one.width ? other : one))
      if (widest.width <= MIN_WIDTH) break
      widths[widest.at] = Math.max(MIN_WIDTH, widest.width - (total() - max))
    }
  }
}

function pad(text: string, width: number, { right, cut }: Pick<Column<never>, 'right' | 'cut'> = {}): string {
  const cellText = measureWidth(text) <= width ? text : cut === 'middle' ? cutMiddle(text, width) : cutEnd(text, width)
  const space = ' '.repeat(width - measureWidth(cellText))
  return right ? space + cellText : cellText + space
}

function cutEnd(text: string, width: number): string {
  return `${fitting(splitCharacters(text), width - 1).join('')}…`
}

/** For paths, which differ at the end. */
function cutMiddle(text: string, width: number): string {
  const characters = splitCharacters(text)
  const head = fitting(characters, Math.floor((width - 1) / 3))
  const tail = fitting(characters.toReversed(), width - 1 - measureWidth(head.join('')))
  return `${head.join('')}…${tail.toReversed().join('')}`
}

function splitCharacters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** The first characters that fit into `width` columns. */
function fitting(characters: readonly string[], width: number): string[] {
  let freeWidth = width
  const end = characters.findIndex((character) => {
    freeWidth -= measureWidth(character)
    return freeWidth < 0
  })
  return characters.slice(0, end === -1 ? characters.length : end)
}
