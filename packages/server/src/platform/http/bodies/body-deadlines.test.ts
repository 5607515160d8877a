import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyDeadlines } from './body-limits.ts'

/** A body whose progress the test controls. */
function arriving(streamed: boolean) {
  const state = { bytes: 0, complete: false, waiting: false, expired: false }
  const body = {
    streamed,
    bytesRead: () => state.bytes,
    isComplete: () => state.complete,
    isWaiting: () => state.waiting,
    expire: () => {
      state.expired = true
    },
  }
  return { state, body }
}

test('a streamed body times out only when no bytes arrive', () => {
  const deadlines = new BodyDeadlines(100)
  const { state, body } = arriving(true)
  deadlines.add({}, body, 0)
  for (let now = 50; now <= 1000; now += 50) {
    if (now % 100 === 0) state.bytes++
    deadlines.check(now)
    assert.equal(state.expired, false)
  }
  deadlines.check(1099)
  assert.equal(state.expired, false)
  deadlines.check(1100)
  assert.equal(state.expired, true)
})

test('a streamed body with unread bytes is not idle', () => {
  const deadlines = new BodyDeadlines(100)
  const { state, body } = arriving(true)
  deadlines.add({}, body, 0)
  state.waiting = true
  for (let now = 60; now <= 600; now += 60) deadlines.check(now)
  state.waiting = false
  deadlines.check(650)
  assert.equal(state.expired, false)
  deadlines.check(700)
  assert.equal(state.expired, true)
})

test('a body that is parsed must arrive completely before the deadline', () => {
  const deadlines = new BodyDeadlines(100)
  const slow = arriving(false)
  const quick = arriving(false)
  deadlines.add({}, slow.body, 0)
  deadlines.add({}, quick.body, 0)
  quick.state.complete = true
  for (let now = 20; now <= 100; now += 20) {
    slow.state.bytes++
    deadlines.check(now)
  }
  assert.deepEqual([slow.state.expired, quick.state.expired], [true, false])
})
