import assert from 'node:assert/strict'
import { test } from 'node:test'
import { semiSpaceMb } from '../bin/young-generation.js'

const MEGABYTE = 1024 * 1024

test('semi-spaces have 16 MB from 1.2 GB of memory on, 2 MB with 256 MB, and powers of two between', () => {
  const sizes = [64, 256, 512, 768, 1024, 1216, 64 * 1024].map((memory) => semiSpaceMb(memory * MEGABYTE))
  assert.deepEqual(sizes, [2, 2, 4, 8, 8, 16, 16])
})
