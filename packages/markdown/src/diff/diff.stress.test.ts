import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockDiff, splitBlocks } from './block-diff.ts'
import { sourceDiff } from './source-diff.ts'

test('hostile bodies are compared in bounded time with bounded output', () => {
  const size = 1024 * 1024
  for (const [before, after] of [
    ['\n'.repeat(size), 'a\n'.repeat(size / 2)],
    [
      Array.from({ length: size / 4 }, (_, n) => `${n % 97}`).join('\n'),
      Array.from({ length: size / 4 }, (_, n) => `${n % 89}`).join('\n'),
    ],
    ['a b '.repeat(size / 4), 'b a '.repeat(size / 4)],
    ['x'.repeat(size), 'y'.repeat(size)],
    [
      Array.from({ length: 2000 }, (_, n) => `a b c d ${n} `.repeat(40)).join('\n'),
      Array.from({ length: 2000 }, (_, n) => `d c b a ${n} `.repeat(40)).join('\n'),
    ],
  ] as const) {
    const began = performance.now()
    const diff = sourceDiff(before, after)
    assert.ok(performance.now() - began < 10_000)
    assert.ok(JSON.stringify(diff).length < 4_000_000)
  }
  const began = performance.now()
  blockDiff('<p>a</p>'.repeat(300_000), '<p>b</p>'.repeat(200_000))
  splitBlocks('<'.repeat(size))
  splitBlocks('<p'.repeat(size / 2))
  assert.ok(performance.now() - began < 10_000)
})
