import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { compareText } from './text-order.ts'

test('compareText orders texts as their bytes in UTF-8', () => {
  const unit = fc.constantFrom('a', 'b', 'é', '中', '\ud7ff', '\ue000', '\uffff', '😀', '𐀀')
  const text = fc.string({ unit, maxLength: 4 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(compareText(a, b), Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 1_000 },
  )
})
