import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { keyValue, parseFilter, typedValue } from './metadata-words.ts'

test('filters are parsed from the words of the command line', () => {
  const cases: readonly (readonly [string, object])[] = [
    ['status=review', { key: 'status', op: 'eq', value: 'review' }],
    ['n=3', { key: 'n', op: 'eq', value: 3 }],
    ['n!=3', { key: 'n', op: 'neq', value: 3 }],
    ['due<=2026-04-01', { key: 'due', op: 'lte', value: '2026-04-01' }],
    ['due>=2026', { key: 'due', op: 'gte', value: 2026 }],
    ['tags~["a"]', { key: 'tags', op: 'contains', value: ['a'] }],
    ['a=b=c<d', { key: 'a', op: 'eq', value: 'b=c<d' }],
    ['status~~draft, 3', { key: 'status', op: 'in', value: ['draft', 3] }],
    ['status!~~["a,b"]', { key: 'status', op: 'notIn', value: ['a,b'] }],
    ['plan^=2026', { key: 'plan', op: 'startsWith', value: '2026' }],
    ['plan^="2026"', { key: 'plan', op: 'startsWith', value: '2026' }],
    ['due<today+90d', { key: 'due', op: 'lt', value: { $date: 'today+90d' } }],
    ['due=today', { key: 'due', op: 'eq', value: 'today' }],
    ['owner', { key: 'owner', op: 'exists' }],
    ['!owner', { key: 'owner', op: 'missing' }],
  ]
  for (const [word, filter] of cases) assert.deepEqual(parseFilter(word), filter)
  for (const word of ['', '!', '=x', '!a=b', '<3']) assert.throws(() => parseFilter(word), /not a filter/)
})

test('a filter in the syntax of another language is rejected, and would find nothing', () => {
  for (const operator of ['==', '=~', '=>', '=<', '<>', '>>', '~=', '!==', '===']) {
    assert.throws(() => parseFilter(`a${operator}1`), { message: new RegExp(`unknown operator, ${operator}:`) })
  }
  for (const word of ['a = 1', 'a == 1', ' a=1', 'a ', '! a']) assert.throws(() => parseFilter(word), /space beside/)
  assert.deepEqual(parseFilter('a="=1"'), { key: 'a', op: 'eq', value: '=1' })
})

test('a value is parsed as JSON, and the key ends at the first equals sign', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      assert.deepEqual(typedValue(json), JSON.parse(json))
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[^=]+$/), fc.string(), (key, text) => {
      assert.deepEqual(keyValue(`${key}=${text}`), [key, text])
    }),
  )
})

test('an integer that would lose digits is rejected, not rounded', () => {
  for (const text of ['9007199254740993', '[1,9007199254740993]']) {
    assert.throws(() => typedValue(text), /2\^53 and would lose digits/)
  }
  assert.equal(typedValue('"9007199254740993"'), '9007199254740993')
})
