import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { anyText, fc } from '../../../../test/support/property.ts'
import { createCursorSealer } from './cursor.ts'

const scalar = fc.oneof(
  anyText,
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
  fc.boolean(),
  fc.constant(null),
)
const position = fc.array(scalar)
const cursors = createCursorSealer(randomBytes(32))

test('a cursor is URL-safe, and decodes to its position for the same query', () => {
  fc.assert(
    fc.property(fc.string(), position, (query, position) => {
      const cursor = cursors.seal(query, position)
      assert.match(cursor, /^[A-Za-z0-9_-]+$/)
      assert.deepEqual(cursors.open(query, cursor), position)
      assert.equal(cursors.seal(query, position), cursor)
    }),
  )
})

test('a cursor of another query or another key is invalid', () => {
  const others = createCursorSealer(randomBytes(32))
  fc.assert(
    fc.property(fc.string(), fc.string(), position, (query, other, position) => {
      fc.pre(query !== other)
      assert.equal(cursors.open(other, cursors.seal(query, position)), undefined)
      assert.equal(others.open(query, cursors.seal(query, position)), undefined)
    }),
  )
})

test('a cursor discloses nothing about its position, not even the size of numbers', () => {
  const lengths = [[1], [Number.MAX_SAFE_INTEGER], [7, 'a']].map((at) => cursors.seal('q', at).length)
  assert.equal(new Set(lengths).size, 1)
  const bytes = Buffer.from(cursors.seal('q', ['secret-path', 123456789]), 'base64url')
  for (const part of ['secret-path', '123456789']) assert.ok(!bytes.includes(part))
})

test('a cursor with any one character changed, missing or added is invalid', () => {
  const cursor = cursors.seal('pages?space=docs', ['a/b', 7])
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === 'A' ? 'B' : 'A'
    const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)]
    for (const mangled of [before + other + after, before + after, `${before}!${cursor[at]}${after}`]) {
      assert.equal(cursors.open('pages?space=docs', mangled), undefined, mangled)
    }
  }
  for (const mangled of [`${cursor}=`, `${cursor}A`, ` ${cursor}`, `${cursor}\n`]) {
    assert.equal(cursors.open('pages?space=docs', mangled), undefined, mangled)
  }
})

test('decoding never throws', () => {
  fc.assert(fc.property(anyText, (text) => cursors.open('q', text) === undefined))
  for (const text of ['', 'A', 'A'.repeat(38), 'A'.repeat(200), '//', '++']) {
    assert.equal(cursors.open('q', text), undefined)
  }
})
