import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../../test/support/property.ts'
import { ordered, type ViewState, viewQuery, viewStateIn } from './state.ts'

const key = fc.string({ minLength: 1 })
const state: fc.Arbitrary<ViewState> = fc.record(
  {
    space: fc.constant('docs'),
    filters: fc.array(
      fc.record({ key, op: fc.constantFrom('eq', 'gt'), value: fc.string() }, { noNullPrototype: true }),
    ),
    columns: fc.uniqueArray(key, { maxLength: 20 }),
    orders: fc.uniqueArray(fc.record({ key, order: fc.constantFrom('asc', 'desc') }, { noNullPrototype: true }), {
      selector: (order) => order.key,
      maxLength: 3,
    }),
    cursor: fc.option(fc.string(), { nil: undefined }),
  },
  { noNullPrototype: true },
)

test('a view survives its URL unchanged', () => {
  fc.assert(
    fc.property(state, (view) =>
      assert.deepEqual(viewStateIn('docs', new URLSearchParams(viewQuery(view).toString())), view),
    ),
  )
})

test('a column is sorted ascending, descending, then unsorted, from the first page', () => {
  const plain = viewStateIn('docs', new URLSearchParams('cursor=x'))
  const up = ordered(plain, 'due')
  const down = ordered(up, 'due')
  assert.deepEqual([up.orders, up.cursor], [[{ key: 'due', order: 'asc' }], undefined])
  assert.deepEqual(down.orders, [{ key: 'due', order: 'desc' }])
  assert.deepEqual(ordered(down, 'due').orders, [])
  assert.deepEqual(ordered(down, 'other').orders, [{ key: 'other', order: 'asc' }])
})
