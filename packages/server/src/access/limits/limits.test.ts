import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimit } from './limits.ts'

test('a key has its quota within a minute, and the full quota in the next one', () => {
  let now = 5_000
  const limit = createRateLimit(3, () => now)
  assert.deepEqual(limit.take('a'), { allowed: true, remaining: 2, resetSeconds: 60 })
  now += 30_000
  assert.deepEqual(limit.take('a'), { allowed: true, remaining: 1, resetSeconds: 30 })
  assert.deepEqual(limit.take('a'), { allowed: true, remaining: 0, resetSeconds: 30 })
  assert.deepEqual(limit.take('a'), { allowed: false, remaining: 0, resetSeconds: 30 })
  assert.deepEqual(limit.take('b'), { allowed: true, remaining: 2, resetSeconds: 60 })
  now += 29_999
  assert.deepEqual(limit.take('a'), { allowed: false, remaining: 0, resetSeconds: 1 })
  now += 1
  assert.deepEqual(limit.take('a'), { allowed: true, remaining: 2, resetSeconds: 60 })
})
