import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FILTER_OP_NAMES } from './filter-ops.ts'

test('docs/api.md describes every filter operator in its table', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/api.md'), 'utf8')
  const rows = docs.slice(docs.indexOf('| op |')).split('\n\n')[0] ?? ''
  const cells = [...rows.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
  assert.deepEqual(cells.toSorted(), FILTER_OP_NAMES.toSorted())
})
