import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../../test/support/property.ts'
import { addFilters, filtersIn, filtersJson, formatTyped, parseTyped, takesValue } from './state.ts'

test('typed values are parsed as JSON if possible, else as text', () => {
  assert.deepEqual(['3', 'true', '["a"]', '"3"', 'done', '2026-01-01', ''].map(parseTyped), [
    3,
    true,
    ['a'],
    '3',
    'done',
    '2026-01-01',
    '',
  ])
})

test('every value can be typed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(parseTyped(formatTyped(value)), JSON.parse(JSON.stringify(value))),
    ),
  )
})

test('filters survive a URL unchanged', () => {
  const row = fc.record(
    { key: fc.string({ minLength: 1 }), op: fc.constantFrom('eq', 'neq', 'missing', 'contains'), value: fc.string() },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const query = new URLSearchParams()
      addFilters(query, rows)
      const back = filtersIn(new URLSearchParams(query.toString()))
      assert.deepEqual(
        back,
        rows.map((r) => (takesValue(r.op) ? r : { ...r, value: '' })),
      )
    }),
  )
})

test('filters without a key are dropped, and operators without a value ignore it', () => {
  assert.equal(filtersJson(filtersIn(new URLSearchParams('key=&op=eq&value=x'))), undefined)
  const rows = filtersIn(new URLSearchParams('key=&op=eq&value=&key=a&op=exists&value=x&key=b'))
  assert.equal(filtersJson(rows), '[{"key":"a","op":"exists"},{"key":"b","op":"eq","value":""}]')
})
