/** The cells of GFM tables in their source; shared by everything that shows or edits tables as Markdown. */

/** The text of a cell within its line, without the spaces around it. Of an empty cell both are the same place. */
export interface Cell {
  readonly from: number
  readonly to: number
}

export type Alignment = 'left' | 'center' | 'right' | undefined

/** The cells of a row. Pipes after a backslash are text, in code as well. */
export function splitCells(line: string): Cell[] {
  const bounds = findPipes(line)
  const isEmptyAt = (from: number, to: number) => line.slice(from, to).trim() === ''
  const starts = [0, ...bounds.map((at) => at + 1)]
  const ends = [...bounds, line.length]
  // The pipes at both ends are optional.
  const first = bounds.length > 0 && isEmptyAt(0, ends[0] ?? 0) ? 1 : 0
  const last = bounds.length > first && isEmptyAt(starts.at(-1) ?? 0, line.length) ? 1 : 0
  const cells: Cell[] = []
  for (let index = first; index < starts.length - last; index++) {
    cells.push(trimmed(line, starts[index] ?? 0, ends[index] ?? line.length))
  }
  return cells
}

/** The alignments of the columns, from the line below the head. */
export function parseAlignments(line: string): Alignment[] {
  return splitCells(line).map(({ from, to }) => {
    const [starts, ends] = [line[from] === ':', line[to - 1] === ':']
    if (starts && ends) return 'center'
    if (ends) return 'right'
    return starts ? 'left' : undefined
  })
}

function findPipes(line: string): number[] {
  const pipes: number[] = []
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === '|') pipes.push(at)
  }
  return pipes
}

function trimmed(line: string, from: number, to: number): Cell {
  let [start, end] = [from, to]
  while (start < end && /[ \t]/.test(line[start] ?? '')) start++
  while (end > start && /[ \t]/.test(line[end - 1] ?? '')) end--
  // A caret in an empty cell is after the space that follows the pipe.
  if (start === end && to > from) start = end = from + 1
  return { from: start, to: end }
}

/** A table as its cells; the first row is its head. Every row has a cell for each column. */
export interface TableCells {
  readonly rows: readonly (readonly string[])[]
  readonly alignments: readonly Alignment[]
}

/** Wider cells do not widen the cells of other rows. */
const MAX_WIDTH = 40

/** Reads the lines of a table. */
export function parseTable(source: string): TableCells {
  const [head = '', delimiters = '', ...body] = source.split('\n')
  const alignments = parseAlignments(delimiters)
  const rows = [head, ...body].map((line) => {
    const cells = splitCells(line).map(({ from, to }) => line.slice(from, to))
    return alignments.map((_, column) => cells[column] ?? '')
  })
  return { rows, alignments }
}

/** Writes a table with its columns below each other. */
export function formatTable({ rows, alignments }: TableCells): string {
  const widths = alignments.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, Math.min(measureWidth(row[column] ?? ''), MAX_WIDTH)), 3),
  )
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const row = (cells: readonly string[]) =>
    line(alignments.map((alignment, column) => padded(cells[column] ?? '', widths[column] ?? 3, alignment)))
  const delimiters = alignments.map((alignment, column) => delimiter(widths[column] ?? 3, alignment))
  const [head = [], ...body] = rows
  return [row(head), line(delimiters), ...body.map(row)].join('\n')
}

/** The text of a cell: one line, whose pipes do not end it. */
export function cellText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').trim().split('\n')
  return lines.map((line) => line.trim().replace(/\\?\|/g, '\\|')).join('<br>')
}

function measureWidth(text: string): number {
  return [...text].length
}

function padded(text: string, width: number, alignment: Alignment): string {
  const room = Math.max(0, width - measureWidth(text))
  const before = alignment === 'right' ? room : alignment === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(room - before)
}

function delimiter(width: number, alignment: Alignment): string {
  const starts = alignment === 'left' || alignment === 'center' ? ':' : ''
  const ends = alignment === 'right' || alignment === 'center' ? ':' : ''
  return starts + '-'.repeat(width - starts.length - ends.length) + ends
}
