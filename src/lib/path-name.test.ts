import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/property.ts'
import { pathName } from './path-name.ts'

test('words become a segment that people would write', () => {
  assert.equal(pathName('What’s new in 2.0?'), 'whats-new-in-2.0')
  assert.equal(pathName('  Über Größe / Länge — a  b '), 'uber-große-lange-a-b')
  assert.equal(pathName('日本語 ページ'), '日本語-ページ')
  assert.equal(pathName('हिन्दी'), 'हिन्दी')
  assert.equal(pathName('?!'), '')
})

test('whatever the words, it is a segment of a path or nothing, and stays as it is', () => {
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
