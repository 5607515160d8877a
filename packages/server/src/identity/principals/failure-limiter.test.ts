import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@recto/contract/errors.ts'
import {
  createFailureLimiter,
  FAILURE_WINDOW_MS,
  type FailureLimiter,
  MAX_FAILURES,
  network,
} from './failure-limiter.ts'

async function rejectionOf(attempt: Promise<unknown>): Promise<AppError> {
  const error = await attempt.then(
    () => assert.fail('it was let through'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof AppError)
  assert.equal(error.code, 'too_many_requests')
  return error
}

async function fail(throttle: FailureLimiter, times: number): Promise<void> {
  for (let i = 0; i < times; i++) (await throttle.begin('192.0.2.1'))(1)
}

test('after 30 failures an address is blocked for five minutes, and other addresses are not', async () => {
  let now = 0
  const throttle = createFailureLimiter(() => now)
  await fail(throttle, MAX_FAILURES)
  now = 60_500
  const { extras } = await rejectionOf(throttle.begin('192.0.2.1'))
  assert.equal(extras.headers?.['Retry-After'], '240')
  await throttle.begin('192.0.2.2')
  now = FAILURE_WINDOW_MS - 1
  const last = await rejectionOf(throttle.begin('192.0.2.1'))
  assert.equal(last.extras.headers?.['Retry-After'], '1')
  now = FAILURE_WINDOW_MS
  await throttle.begin('192.0.2.1')
})

test('concurrent attempts that succeed do not count', async () => {
  const throttle = createFailureLimiter(() => 0)
  let underWay = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const end = await throttle.begin('192.0.2.1')
      most = Math.max(most, ++underWay)
      await new Promise(setImmediate)
      underWay -= 1
      end(0)
    }),
  )
  assert.equal(most, MAX_FAILURES)
})

test('of concurrent failing attempts 30 are made, and the others are rejected', async () => {
  const throttle = createFailureLimiter(() => 0)
  const answers = await Promise.allSettled(
    Array.from({ length: 100 }, async () => {
      const end = await throttle.begin('192.0.2.1')
      await new Promise(setImmediate)
      end(1)
    }),
  )
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, MAX_FAILURES)
})

test('the list of addresses is bounded, and waiters of an evicted address are woken', async () => {
  const throttle = createFailureLimiter(() => 0)
  const ends = await Promise.all(Array.from({ length: MAX_FAILURES }, () => throttle.begin('192.0.2.1')))
  const waiting = throttle.begin('192.0.2.1')
  for (let i = 0; i < 10_000; i++) await throttle.begin(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
  for (const end of ends) end(1)
  await waiting
})

test('an IPv6 network counts as one address, and a mapped IPv4 address as itself', () => {
  assert.equal(network('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(network('2001:0DB8:1:2::1'), '2001:db8:1:2::/64')
  assert.equal(network('2001:db8::1'), '2001:db8:0:0::/64')
  assert.equal(network('::1'), '0:0:0:0::/64')
  assert.equal(network('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(network('::ffff:192.0.2.7'), '192.0.2.7')
  assert.equal(network('192.0.2.7'), '192.0.2.7')
})
