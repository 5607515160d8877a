import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitCells } from './table-source.ts'

const textsOf = (line: string) => splitCells(line).map(({ from, to }) => line.slice(from, to))

test('the cells of a row are between pipes, which are optional at both ends', () => {
  for (const line of ['| a | b |', 'a | b', '|a|b', '  | a | b |  ']) assert.deepEqual(textsOf(line), ['a', 'b'])
  assert.deepEqual(textsOf('| a \\| b | `c\\|d` |'), ['a \\| b', '`c\\|d`'])
  assert.deepEqual(textsOf('|  | b |'), ['', 'b'])
  assert.deepEqual(textsOf('| a |  |'), ['a', ''])
  assert.deepEqual(textsOf(''), [''])
})
