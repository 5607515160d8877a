import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdownTable, spreadsheetCells } from './markdown-table.ts'

test('rows become a GFM table: pipes are escaped once, line breaks kept, missing cells empty', () => {
  assert.equal(
    markdownTable([['Name', 'a | b'], ['one \\| two', 'x\n y'], ['last']]),
    '| Name | a \\| b |\n| --- | --- |\n| one \\| two | x<br>y |\n| last |  |',
  )
})

test('text with the same number of tabs in each line is a part of a spreadsheet', () => {
  assert.deepEqual(spreadsheetCells('a\tb\r\n1\t2\r\n'), [
    ['a', 'b'],
    ['1', '2'],
  ])
  for (const text of ['a\tb', 'a\nb', 'a\tb\nc', 'if (x) {\n\treturn\n}'])
    assert.equal(spreadsheetCells(text), undefined)
})
