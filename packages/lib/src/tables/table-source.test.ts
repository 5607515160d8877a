import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  alignColumn,
  deleteColumn,
  deleteRow,
  fillCells,
  insertColumn,
  insertRow,
  moveCell,
  type TableEdit,
} from './table-edits.ts'
import { cellText, formatTable, parseAlignments, parseTable, splitCells } from './table-source.ts'

const textsOf = (line: string) => splitCells(line).map(({ from, to }) => line.slice(from, to))

test('the cells of a row are between pipes, which are optional at both ends', () => {
  for (const line of ['| a | b |', 'a | b', '|a|b', '  | a | b |  ']) assert.deepEqual(textsOf(line), ['a', 'b'])
  assert.deepEqual(textsOf('| a \\| b | `c\\|d` |'), ['a \\| b', '`c\\|d`'])
  assert.deepEqual(textsOf('|  | b |'), ['', 'b'])
  assert.deepEqual(textsOf('| a |  |'), ['a', ''])
  assert.deepEqual(textsOf(''), [''])
})

test('colons align columns', () => {
  assert.deepEqual(parseAlignments('| --- | :-: | -: | :- |'), [undefined, 'center', 'right', 'left'])
})

test('a table is written with aligned columns, and read again as the same', () => {
  const source = '|Name|Age|\n|-|-:|\n|Ann \\| Bo|7|\n|x|'
  const aligned = formatTable(parseTable(source))
  assert.equal(aligned, '| Name      | Age |\n| --------- | --: |\n| Ann \\| Bo |   7 |\n| x         |     |')
  assert.equal(formatTable(parseTable(aligned)), aligned)
})

test('a text becomes a cell of one line', () => {
  assert.equal(cellText(' a | b \\| c\r\n d '), 'a \\| b \\| c<br>d')
})

const TABLE = parseTable('| A | B |\n| - | - |\n| 1 | 2 |')
const edited = (edit: TableEdit, row: number, column: number) => {
  const made = edit(TABLE, { row, column })
  return made && { rows: made.rows, at: [made.at.row, made.at.column] }
}

test('rows and columns are added and deleted; the head stays', () => {
  const head = ['A', 'B']
  assert.deepEqual(edited(insertRow(0), 0, 1), { rows: [head, ['', ''], ['1', '2']], at: [1, 1] })
  assert.deepEqual(edited(insertRow(1), 1, 0), { rows: [head, ['1', '2'], ['', '']], at: [2, 0] })
  assert.deepEqual(edited(insertColumn(1), 1, 0), {
    rows: [
      ['A', '', 'B'],
      ['1', '', '2'],
    ],
    at: [1, 1],
  })
  assert.equal(edited(deleteRow, 0, 0), undefined)
  assert.deepEqual(edited(deleteRow, 1, 0), { rows: [head], at: [0, 0] })
  assert.deepEqual(edited(deleteColumn, 1, 1), { rows: [['A'], ['1']], at: [1, 0] })
  assert.equal(alignColumn('right')(TABLE, { row: 0, column: 1 })?.alignments[1], 'right')
})

test('the cell after the last one is in a new row, the one before the first is the first', () => {
  assert.deepEqual(edited(moveCell(1), 0, 1)?.at, [1, 0])
  assert.deepEqual(edited(moveCell(1), 1, 1), { rows: [...TABLE.rows, ['', '']], at: [2, 0] })
  assert.deepEqual(edited(moveCell(-1), 0, 0)?.at, [0, 0])
})

test('pasted cells replace those from the selected one on, and add what is missing', () => {
  const made = edited(fillCells([['x', 'y'], ['z']]), 1, 1)
  assert.deepEqual(made, {
    rows: [
      ['A', 'B', ''],
      ['1', 'x', 'y'],
      ['', 'z', ''],
    ],
    at: [2, 1],
  })
})
