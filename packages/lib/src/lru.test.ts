import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/property.ts'
import { Lru } from './lru.ts'

function lruOf(maxWeight: number): Lru<string, string> {
  return new Lru({ maxWeight, weigh: (value) => value.length })
}

test('the least recently used entry is evicted first', () => {
  const lru = lruOf(3)
  for (const key of ['a', 'b', 'c']) lru.set(key, 'x')
  lru.get('a')
  lru.set('d', 'x')
  assert.equal(lru.get('b'), undefined)
  assert.deepEqual(
    ['a', 'c', 'd'].map((key) => lru.get(key)),
    ['x', 'x', 'x'],
  )
  assert.equal(lru.size, 3)
})

test('a large cache keeps what is used again within half of its size, and evicts the others', () => {
  const lru = lruOf(1_000)
  lru.set('used', 'x')
  for (let n = 0; n < 10_000; n++) {
    lru.set(`${n}`, 'x')
    if (n % 500 === 0) assert.equal(lru.get('used'), 'x')
    if (n >= 1_000) assert.equal(lru.get(`${n - 1_000}`), undefined)
  }
})

test('one heavy value evicts several light ones', () => {
  const lru = lruOf(4)
  for (const key of ['a', 'b', 'c', 'd']) lru.set(key, 'x')
  lru.set('e', 'xxx')
  assert.equal(lru.size, 2)
  assert.equal(lru.weight, 4)
  assert.equal(lru.get('d'), 'x')
})

test('a value over the limit is not stored, and the value that it replaces is removed', () => {
  const lru = lruOf(4)
  lru.set('a', 'x')
  lru.set('b', 'x')
  lru.set('a', 'xxxxx')
  assert.equal(lru.get('a'), undefined)
  assert.equal(lru.get('b'), 'x')
  assert.equal(lru.weight, 1)
})

test('the weight function gets the key, and a weight that is not a number is rejected', () => {
  const lru = new Lru<string, string>({ maxWeight: 10, weigh: (value, key) => key.length + Number(value) })
  lru.set('abc', '2')
  assert.equal(lru.weight, 5)
  assert.throws(() => lru.set('d', 'x'), RangeError)
  assert.throws(() => lru.set('d', '-2'), RangeError)
  assert.equal(lru.weight, 5)
})

test('it equals a model: a list in order of use', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const call = fc.oneof(
    fc.record({ name: fc.constant('set' as const), key, value: fc.string({ maxLength: 6 }) }),
    fc.record({ name: fc.constantFrom('get' as const, 'delete' as const, 'clear' as const), key }),
  )
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      const lru = lruOf(10)
      let model: (readonly [string, string])[] = []
      for (const call of calls) {
        const found = model.find(([key]) => key === call.key)
        const others = model.filter(([key]) => key !== call.key)
        if (call.name === 'get') {
          assert.equal(lru.get(call.key), found?.[1])
          if (found !== undefined) model = [...others, found]
        } else if (call.name === 'set') {
          lru.set(call.key, call.value)
          model = [...others, [call.key, call.value]]
          while (model.reduce((sum, [, value]) => sum + value.length, 0) > 10) model.shift()
        } else if (call.name === 'delete') {
          assert.equal(lru.delete(call.key), found !== undefined)
          model = others
        } else {
          lru.clear()
          model = []
        }
        assert.equal(lru.size, model.length)
        assert.equal(
          lru.weight,
          model.reduce((sum, [, value]) => sum + value.length, 0),
        )
      }
    }),
  )
})
