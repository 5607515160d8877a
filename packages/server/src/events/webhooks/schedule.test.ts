import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/property.ts'
import { decideOutcome, retryAfterSeconds } from './schedule.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const base = {
  at: now.toISOString(),
  durationMs: 1,
  responseStatus: null,
  error: null,
  responseBody: null,
  retryAfter: undefined,
  blocked: false,
}
const status = (responseStatus: number, retryAfter?: string) => ({ ...base, responseStatus, retryAfter })
const SCHEDULE = [5, 300, 1800, 7200, 18_000, 36_000, 36_000]

test('only 2xx succeeds, and anything else is retried until the schedule ends', () => {
  for (const code of [200, 201, 204, 299]) assert.equal(decideOutcome(status(code), 1, SCHEDULE).status, 'succeeded')
  for (const code of [0, 199, 300, 302, 400, 404, 500]) {
    assert.equal(decideOutcome(status(code), 7, SCHEDULE).status, 'pending')
    assert.equal(decideOutcome(status(code), 8, SCHEDULE).status, 'failed')
  }
  assert.equal(decideOutcome({ ...base, error: 'timeout' }, 1, SCHEDULE).status, 'pending')
})

test('jitter adds 0 to 20 % to a delay', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), fc.double({ min: 0, max: 1, noNaN: true }), (number, random) => {
      const wait = SCHEDULE[number - 1] ?? 0
      const { delaySeconds = 0 } = decideOutcome(status(500), number, SCHEDULE, () => random)
      assert.ok(delaySeconds >= wait && delaySeconds <= wait * 1.2)
    }),
  )
})

test('410 fails the delivery and marks the receiver as gone', () => {
  assert.deepEqual(decideOutcome(status(410), 1, SCHEDULE), { status: 'failed', delaySeconds: undefined, gone: true })
})

test('a blocked attempt is not retried', () => {
  assert.equal(decideOutcome({ ...base, blocked: true }, 1, SCHEDULE).status, 'blocked')
})

test('Retry-After extends the delay of 429 and 503, up to a day', () => {
  const delay = (code: number, value: string) => decideOutcome(status(code, value), 1, SCHEDULE, () => 0).delaySeconds
  assert.equal(delay(429, '120'), 120)
  assert.equal(delay(503, '120'), 120)
  assert.equal(delay(500, '120'), 5)
  assert.equal(delay(503, '1'), 5)
  assert.equal(delay(503, '9'.repeat(400)), 86_400)
  assert.equal(delay(429, 'Thu, 01 Jan 2026 00:10:00 GMT'), 600)
  assert.equal(delay(429, 'Thu, 01 Jan 2025 00:10:00 GMT'), 5)
})

test('a Retry-After that is neither seconds nor an HTTP date is ignored', () => {
  for (const value of ['', 'soon', '-5', '1.5', '0x10', '2026-01-01', 'Xxx, nonsense'])
    assert.equal(retryAfterSeconds(value, now), undefined, value)
})
