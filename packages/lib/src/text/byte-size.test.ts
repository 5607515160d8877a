import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteSize } from './byte-size.ts'

test('a number of bytes is formatted in the largest suitable unit', () => {
  const sizes = [0, 1, 1023, 1024, 1536, 10 * 1024, 1024 * 1024 - 1, 100 * 1024 * 1024, 2.5 * 1024 ** 3]
  assert.deepEqual(
    sizes.map((size) => byteSize(size)),
    ['0 bytes', '1 byte', '1023 bytes', '1 KB', '1.5 KB', '10 KB', '1 MB', '100 MB', '2.5 GB'],
  )
})

test('a number of bytes is formatted in a language', () => {
  assert.deepEqual(
    [12, 1536, 10 * 1024].map((size) => byteSize(size, 'de')),
    ['12 Byte', '1,5 KB', '10 KB'],
  )
})
