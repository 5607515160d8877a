import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { base62, randomBase62 } from './token.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a number survives encoding and decoding', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 62n ** 11n - 1n }), (value) => {
      const text = base62(value, 11)
      assert.equal(text.length, 11)
      assert.equal(
        [...text].reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n),
        value,
      )
    }),
  )
})

test('numbers are padded with zeros, and those that do not fit are rejected', () => {
  assert.equal(base62(0, 3), '000')
  assert.equal(base62(61, 3), '00z')
  assert.equal(base62(62, 2), '10')
  assert.throws(() => base62(62 ** 2, 2), RangeError)
  assert.throws(() => base62(-1, 2), RangeError)
  assert.throws(() => base62(1.5, 2), RangeError)
})

test('random digits have the requested length and a uniform distribution', () => {
  assert.equal(randomBase62(0), '')
  const text = randomBase62(62_000)
  assert.match(text, /^[0-9A-Za-z]{62000}$/)
  const counts = new Map<string, number>()
  for (const digit of text) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  assert.equal(counts.size, 62)
  // 1,000 expected, deviation 31: `byte % 62` would give the first eight digits 1,211 each.
  for (const [digit, count] of counts) assert.ok(count > 800 && count < 1200, `${digit}: ${count}`)
})
