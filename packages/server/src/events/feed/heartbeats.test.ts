import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createHeartbeats } from './heartbeats.ts'

test('members that started together get one heartbeat per period each, spread over the period', (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const heartbeats = createHeartbeats(15_000)
  const beats = new Array<number>(1_500).fill(0)
  const members = beats.map((_, n) => heartbeats.add(() => beats.splice(n, 1, (beats[n] ?? 0) + 1)))
  let most = 0
  for (let tick = 0; tick < 60; tick++) {
    const before = beats.reduce((sum, each) => sum + each, 0)
    mock.timers.tick(250)
    most = Math.max(most, beats.reduce((sum, each) => sum + each, 0) - before)
  }
  assert.deepEqual(new Set(beats), new Set([1]))
  assert.equal(most, 25)
  members[0]?.[Symbol.dispose]()
  mock.timers.tick(15_000)
  assert.deepEqual([beats[0], beats[1]], [1, 2])
  for (const member of members) member[Symbol.dispose]()
  mock.timers.tick(15_000)
  assert.equal(beats[1], 2)
})
