import type { Terminal } from './command.ts'

export interface Column<T> {
  readonly title: string
  readonly of: (item: T) => string | number | null | undefined
  readonly right?: boolean
  /** Cut where the terminal is too narrow. */
  readonly cut?: boolean
}

const GAP = '  '
const LEAST = 8
/** What takes two columns in a terminal: East Asian wide characters and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const segmenter = new Intl.Segmenter()

/** Prints items in columns, fitted to the terminal where there is one; nothing for no items. */
export function printTable<T>(terminal: Terminal, columns: readonly Column<T>[], items: readonly T[]): void {
  if (items.length === 0) return
  const rows = items.map((item) => columns.map(({ of }) => oneLine(String(of(item) ?? ''))))
  const widths = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ''))),
  )
  if (terminal.width !== undefined) fit(widths, columns, terminal.width)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => pad(cell, widths[at] ?? 0, columns[at]?.right === true))
      .join(GAP)
      .trimEnd()
  const head = line(columns.map(({ title }) => title))
  terminal.out(`${bold(terminal, head)}\n${rows.map((row) => `${line(row)}\n`).join('')}`)
}

/** Text that is safe to show: no control characters, which could be commands to the terminal; it stays on its line. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/gu, ' ')).trim()
}

/** Text of many lines that is safe to show. */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

/** A time as people read it: to the minute, in their own zone. */
export function timeText(time: string | null | undefined): string {
  if (!time) return ''
  const date = new Date(time)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Bold, where colours are shown. */
export function bold(terminal: Terminal, text: string): string {
  return terminal.colour ? `\u001b[1m${text}\u001b[0m` : text
}

/** Dimmed, where colours are shown. */
export function dim(terminal: Terminal, text: string): string {
  return terminal.colour ? `\u001b[2m${text}\u001b[0m` : text
}

/** Columns of a terminal that the text takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

/** Takes from the widest column that may be cut until the row fits. */
function fit<T>(widths: number[], columns: readonly Column<T>[], most: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)
  while (total() > most) {
    const widest = columns
      .map(({ cut }, at) => ({ at, width: cut ? (widths[at] ?? 0) : 0 }))
      .reduce((one, other) => (other.width > one.width ? other : one))
    if (widest.width <= LEAST) return
    widths[widest.at] = Math.max(LEAST, widest.width - (total() - most))
  }
}

function pad(text: string, width: number, right: boolean): string {
  const shown = widthOf(text) > width ? cut(text, width) : text
  const space = ' '.repeat(width - widthOf(shown))
  return right ? space + shown : shown + space
}

function cut(text: string, width: number): string {
  let kept = ''
  let taken = 0
  for (const { segment } of segmenter.segment(text)) {
    const next = widthOf(segment)
    if (taken + next > width - 1) break
    kept += segment
    taken += next
  }
  return `${kept}…`
}
