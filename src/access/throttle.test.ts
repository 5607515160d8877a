import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../errors.ts'
import { createThrottle, FAILURE_WINDOW_MS, MAX_FAILURES, network } from './throttle.ts'

function refused(deed: () => void): AppError {
  try {
    deed()
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'too_many_requests')
    return error
  }
  assert.fail('it was let through')
}

test('after 30 failures an address is refused until the five minutes are over, and others are not', () => {
  let now = 0
  const throttle = createThrottle(() => now)
  for (let i = 0; i < MAX_FAILURES; i++) throttle.attempt('192.0.2.1')
  now = 60_500
  assert.equal(refused(() => throttle.attempt('192.0.2.1')).extras.headers?.['Retry-After'], '240')
  throttle.attempt('192.0.2.2')
  now = FAILURE_WINDOW_MS - 1
  assert.equal(refused(() => throttle.attempt('192.0.2.1')).extras.headers?.['Retry-After'], '1')
  now = FAILURE_WINDOW_MS
  throttle.attempt('192.0.2.1')
})

test('attempts that succeed do not count, and attempts under way do', () => {
  const throttle = createThrottle(() => 0)
  for (let i = 0; i < 1000; i++) {
    throttle.attempt('192.0.2.1')
    throttle.succeeded('192.0.2.1')
  }
  for (let i = 0; i < MAX_FAILURES; i++) throttle.attempt('192.0.2.1')
  refused(() => throttle.attempt('192.0.2.1'))
  throttle.succeeded('192.0.2.1')
  throttle.attempt('192.0.2.1')
})

test('the list of addresses is bounded', () => {
  const throttle = createThrottle(() => 0)
  for (let i = 0; i < MAX_FAILURES; i++) throttle.attempt('192.0.2.1')
  for (let i = 0; i < 10_000; i++) throttle.attempt(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
  throttle.attempt('192.0.2.1')
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
