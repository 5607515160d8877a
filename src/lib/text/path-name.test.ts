import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/property.ts'
import { pathName, slugOf } from './path-name.ts'

test('a title becomes a readable path segment', () => {
  assert.equal(pathName('What’s new in 2.0?'), 'whats-new-in-2.0')
  assert.equal(pathName('  Über Größe / Länge — a  b '), 'uber-große-lange-a-b')
  assert.equal(pathName('日本語 ページ'), '日本語-ページ')
  assert.equal(pathName('हिन्दी'), 'हिन्दी')
  assert.equal(pathName('?!'), '')
})

test('the slug of a name has Latin letters, digits and single hyphens', () => {
  assert.equal(slugOf('Über uns & more_2.0'), 'uber-uns-more-2-0')
  assert.equal(slugOf('日本 handbook'), 'handbook')
  assert.equal(slugOf('هندسة'), '')
  assert.equal(slugOf(`${'a'.repeat(63)} b`), 'a'.repeat(63))
})

test('for any title the result is a valid segment or empty, and is stable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (words) => {
      const name = pathName(words)
      assert.doesNotMatch(name, /[/\\\s\p{Cc}]|^\.+$/u)
      assert.ok(Buffer.byteLength(name) <= 400)
      assert.equal(pathName(name), name)
    }),
    { numRuns: 2000 },
  )
})
