import type { Alignment, TableCells } from './table-source.ts'

/** A cell of a table; row 0 is its head. */
export interface CellPlace {
  readonly row: number
  readonly column: number
}

/**
 * A changed table with the cell that is selected; undefined if nothing can be changed. Without columns there is no
 * table any more.
 */
export type TableEdit = (table: TableCells, at: CellPlace) => (TableCells & { readonly at: CellPlace }) | undefined

/** Adds an empty row. The head stays the first row. */
export const insertRow =
  (offset: 0 | 1): TableEdit =>
  ({ rows, alignments }, { row, column }) => {
    const place = Math.max(1, row + offset)
    const empty = alignments.map(() => '')
    return { rows: rows.toSpliced(place, 0, empty), alignments, at: { row: place, column } }
  }

export const insertColumn =
  (offset: 0 | 1): TableEdit =>
  ({ rows, alignments }, { row, column }) => {
    const place = column + offset
    return {
      rows: rows.map((cells) => cells.toSpliced(place, 0, '')),
      alignments: alignments.toSpliced(place, 0, undefined),
      at: { row, column: place },
    }
  }

/** The head cannot be deleted. */
export const deleteRow: TableEdit = ({ rows, alignments }, { row, column }) => {
  if (row === 0) return undefined
  const leftRows = rows.toSpliced(row, 1)
  return { rows: leftRows, alignments, at: { row: Math.min(row, leftRows.length - 1), column } }
}

export const deleteColumn: TableEdit = ({ rows, alignments }, { row, column }) => ({
  rows: rows.map((cells) => cells.toSpliced(column, 1)),
  alignments: alignments.toSpliced(column, 1),
  at: { row, column: Math.max(0, Math.min(column, alignments.length - 2)) },
})

export const alignColumn =
  (alignment: Alignment): TableEdit =>
  ({ rows, alignments }, at) => ({ rows, alignments: alignments.with(at.column, alignment), at })

/** Selects the next or the previous cell; after the last one is a new row. */
export const moveCell =
  (step: 1 | -1): TableEdit =>
  (table, at) => {
    const width = table.alignments.length
    const index = Math.max(0, at.row * width + at.column + step)
    const next = { row: Math.floor(index / width), column: index % width }
    if (next.row < table.rows.length) return { ...table, at: next }
    return insertRow(1)(table, { row: at.row, column: 0 })
  }

/** Writes cells from the selected one on, in as many further rows and columns as they need. */
export const fillCells =
  (cells: readonly (readonly string[])[]): TableEdit =>
  ({ rows, alignments }, { row, column }) => {
    const width = cells.reduce((widest, line) => Math.max(widest, column + line.length), alignments.length)
    const height = Math.max(rows.length, row + cells.length)
    const filledRows = Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (_, x) => cells[y - row]?.[x - column] ?? rows[y]?.[x] ?? ''),
    )
    const last = { row: row + cells.length - 1, column: column + (cells.at(-1)?.length ?? 1) - 1 }
    return { rows: filledRows, alignments: Array.from({ length: width }, (_, x) => alignments[x]), at: last }
  }
