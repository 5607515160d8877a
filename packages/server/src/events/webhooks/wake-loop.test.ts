import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WakeLoop } from './wake-loop.ts'

test('wake-ups during a run cause exactly one further run, and runs never overlap', async () => {
  let runs = 0
  let active = 0
  const loop = new WakeLoop(async () => {
    active += 1
    runs += 1
    assert.equal(active, 1)
    await sleep(5)
    active -= 1
  }, 1)
  loop.wake()
  await sleep(1)
  for (let n = 0; n < 10; n++) loop.wake()
  while (runs < 2 || active > 0) await sleep(1)
  await sleep(20)
  assert.equal(runs, 2)
  loop.wake()
  await loop.stop()
  loop.wake()
  await sleep(10)
  assert.equal(runs, 3)
})
