import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { fc } from '../../../../../test/support/property.ts'
import { toParameters } from './values.ts'

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

test('numbers of arrays are written as pg writes them, but for the quotes; all other values are left to pg', () => {
  const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double())
  const other = fc.oneof(
    number,
    fc.string(),
    fc.constant(null),
    fc.boolean(),
    fc.array(fc.oneof(fc.string(), fc.constant(null)), { minLength: 1 }),
    fc.tuple(number, fc.constantFrom(null, 'x', [1])),
  )
  fc.assert(
    fc.property(fc.array(number), other, (numbers, value) => {
      const [text, same] = toParameters([numbers, value])
      assert.equal(text, String(prepareValue(numbers)).replaceAll('"', ''))
      assert.equal(same, value)
    }),
  )
})
