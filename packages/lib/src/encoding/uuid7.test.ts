import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, uuid7 } from './uuid7.ts'

test('ids are of version 7 and variant 10, in lower case', () => {
  for (let i = 0; i < 1000; i++) {
    assert.match(uuid7(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})

test('each id sorts after the one before it, within one millisecond too', () => {
  const ids = Array.from({ length: 100_000 }, () => uuid7())
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
})

test('the first 48 bits are the time', () => {
  const now = Date.now() + 60_000
  const id = uuid7(now)
  assert.equal(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16), now)
})

test('ids increase when the clock goes back', () => {
  const before = uuid7()
  const after = uuid7(1)
  assert.ok(after > before)
})

test('a UUID is recognised by its format', () => {
  assert.ok(isUuid(uuid7()))
  assert.ok(isUuid('017F22E2-79B0-7CC3-98C4-DC0C0C07398F'))
  for (const text of ['', 'x', '017f22e279b07cc398c4dc0c0c07398f', '017f22e2-79b0-7cc3-98c4-dc0c0c07398g']) {
    assert.equal(isUuid(text), false, text)
  }
  assert.equal(isUuid(`${uuid7()}\n`), false)
  assert.equal(isUuid(`{${uuid7()}}`), false)
})
