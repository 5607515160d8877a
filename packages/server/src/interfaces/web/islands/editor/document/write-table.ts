import { splitCells } from '@recto/lib/tables/table-source.ts'
import type { Node } from 'prosemirror-model'
import { type BlockSource, isUnchanged, readSource } from './source.ts'

interface Options {
  readonly prefix: string
  readonly lineEnd: string
  readonly writeCell: (cell: Node) => string
}

/** A table in which rows that are as they were read keep their bytes, and changed rows their other cells. */
export function writeTable(table: Node, options: Options): string {
  const { prefix, lineEnd } = options
  const source = readSource(table)
  const [head, ...body] = table.children
  const originalHead = source?.node?.firstChild
  if (!head) return ''
  const ownDelimiters =
    originalHead && describeColumns(head) === describeColumns(originalHead) ? readDelimiters(originalHead) : undefined
  const widths = splitCells(ownDelimiters ?? '').map(({ from, to }) => to - from)
  const delimiters =
    ownDelimiters !== undefined && source?.prefix === prefix ? ownDelimiters : prefix + newDelimiters(head)
  let text = writeRow(head, widths, options)
  let before = head
  for (const row of body) {
    const isKept = before !== head || delimiters === ownDelimiters
    const gap = isKept && source?.prefix === prefix ? readGap(before, row) : undefined
    text += gap ?? `${before === head ? lineEnd + delimiters : ''}${lineEnd}${prefix}`
    text += writeRow(row, widths, options)
    before = row
  }
  return before === head ? text + lineEnd + delimiters : text
}

function readGap(before: Node, row: Node): string | undefined {
  const [first, second] = [readSource(before), readSource(row)]
  return first && second && first.next === second.from ? first.page.text.slice(first.to, second.from) : undefined
}

function describeColumns(row: Node): string {
  return row.children.map(({ attrs }) => attrs.align ?? '-').join()
}

/** The line below the head, with what is before the table in it. */
function readDelimiters(head: Node): string | undefined {
  const source = readSource(head)
  return source && /^(?:\r\n?|\n)([^\r\n]*)/.exec(source.page.text.slice(source.to, source.to + MAX_DELIMITERS))?.[1]
}

const MAX_DELIMITERS = 10_000

function newDelimiters(row: Node): string {
  const marks: Readonly<Record<string, string>> = { left: ':--', center: ':-:', right: '--:' }
  return `| ${row.children.map(({ attrs }) => marks[attrs.align] ?? '---').join(' | ')} |`
}

function writeRow(row: Node, widths: readonly number[], { writeCell }: Options): string {
  const source = readSource(row)
  if (source && isUnchanged(row, source)) return source.page.text.slice(source.from, source.to)
  const text = source && changeCells(row, source, writeCell)
  if (text !== undefined) return text
  const cells = row.children.map((cell, column) => writeOwnCell(cell, writeCell).padEnd(widths[column] ?? 0))
  return `| ${cells.join(' | ')} |`
}

function writeOwnCell(cell: Node, writeCell: (cell: Node) => string): string {
  const source = readSource(cell)
  return source && isUnchanged(cell, source) ? source.page.text.slice(source.from, source.to) : writeCell(cell)
}

/** The line of a row with its changed cells; undefined if it has other cells than before. */
function changeCells(
  row: Node,
  { page, from, to, node }: BlockSource,
  writeCell: (cell: Node) => string,
): string | undefined {
  const places = node?.children.map(readSource) ?? []
  if (places.length !== row.childCount) return undefined
  // Without a pipe before it, the first cell could begin another block.
  if (!/^[ \t]*\|/.test(page.text.slice(from, to)) && !node?.firstChild?.eq(row.child(0))) return undefined
  let text = ''
  let end = from
  for (const [column, place] of places.entries()) {
    const cell = row.child(column)
    if (!place) return undefined
    if (place.node?.eq(cell)) continue
    const cellText = writeOwnCell(cell, writeCell)
    const spaces = /^ *(?=\|)/.exec(page.text.slice(place.to, to))?.[0].length ?? 0
    const room = Math.max(cellText.length + Math.min(spaces, 1), place.to - place.from + spaces)
    // A backslash would escape the pipe after it.
    text += page.text.slice(end, place.from) + (spaces > 0 ? cellText.padEnd(room) : cellText.replace(/\\$/, '\\ '))
    end = place.to + spaces
  }
  return text + page.text.slice(end, to)
}
