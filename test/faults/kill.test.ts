import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { KILLS, startVictim } from '../support/kill.ts'

const CYCLES = 30
/** Ten seconds, and as many for the tests that run beside this one. */
const READY_MS = 20_000
const skip = existsSync('/proc/self/cwd') ? false : 'finding the processes to kill needs /proc'

test(`after ${CYCLES} kills in the middle of writes nothing acknowledged is lost, and the service is back by itself`, {
  skip,
}, async (t) => {
  await using victim = await startVictim()
  for (let number = 0; number < CYCLES; number++) {
    const kill = KILLS[number % KILLS.length] ?? 'node'
    await t.test(`${number + 1}: ${kill}`, async () => {
      const { violations, backMs } = await victim.cycle(kill)
      assert.deepEqual(violations, [])
      assert.ok(backMs <= READY_MS, `back after ${backMs.toFixed(0)} ms`)
    })
  }
  assert.deepEqual(await victim.checkAll(), [])
})
