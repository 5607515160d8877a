import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeCursor, encodeCursor } from './cursor.ts'

const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
  fc.boolean(),
  fc.constant(null),
)
const position = fc.array(scalar)

test('a cursor gives its position back to the same query, and is fit for a URL', () => {
  fc.assert(
    fc.property(fc.string(), position, (query, position) => {
      const cursor = encodeCursor(query, position)
      assert.match(cursor, /^[A-Za-z0-9_-]+$/)
      assert.deepEqual(decodeCursor(query, cursor), position)
    }),
  )
})

test('a cursor is of no use to another query', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), position, (query, other, position) => {
      fc.pre(query !== other)
      assert.equal(decodeCursor(other, encodeCursor(query, position)), undefined)
    }),
  )
  // The query and the payload must not run into each other.
  assert.equal(decodeCursor('q[1]', encodeCursor('q', [1])), undefined)
})

test('a cursor with any one character changed, missing or added is refused', () => {
  const cursor = encodeCursor('pages?space=docs', ['a/b', 7])
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === 'A' ? 'B' : 'A'
    const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)]
    for (const mangled of [before + other + after, before + after, `${before}!${cursor[at]}${after}`]) {
      assert.equal(decodeCursor('pages?space=docs', mangled), undefined, mangled)
    }
  }
  for (const mangled of [`${cursor}=`, `${cursor}A`, ` ${cursor}`, `${cursor}\n`]) {
    assert.equal(decodeCursor('pages?space=docs', mangled), undefined, mangled)
  }
})

test('no text makes decoding throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => decodeCursor('q', text) === undefined))
  for (const text of ['', 'A', 'AAAAAAAAAAAAAAAA', '//', '++'])
    assert.equal(decodeCursor('q', text), undefined)
})

test('a payload that is no list of scalars is refused even with a sound guard', () => {
  for (const payload of ['', '{', '{}', '[[1]]', '[{}]', '1', 'null', '[1', '\u0000']) {
    const guard = createHash('sha256').update(`1:q${payload}`).digest().subarray(0, 12)
    const cursor = Buffer.concat([guard, Buffer.from(payload)]).toString('base64url')
    assert.equal(decodeCursor('q', cursor), undefined, payload)
  }
})
