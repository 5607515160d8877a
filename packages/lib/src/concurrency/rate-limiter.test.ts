import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimiter } from './rate-limiter.ts'

const options = { burst: 3, everyMs: 10, maxMs: 25, maxKeys: 2 }

test('a burst passes without delay, then one call per interval, with a maximum delay', () => {
  const pace = createRateLimiter(options, () => 0)
  assert.deepEqual(
    Array.from({ length: 8 }, () => pace('a')),
    [0, 0, 0, 10, 20, 25, 25, 25],
  )
  assert.equal(pace('b'), 0)
})

test('infrequent calls are never delayed, and idle keys are removed', () => {
  let now = 0
  const pace = createRateLimiter(options, () => now)
  for (; now < 500; now += 10) assert.equal(pace('a'), 0)
  for (let count = 0; count < 100; count++) pace('a')
  now += options.burst * options.everyMs + options.maxMs
  assert.equal(pace('a'), 0)
})
