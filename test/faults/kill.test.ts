import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { test } from 'node:test'
import { KILLS, startVictim } from '../support/kill.ts'

const CYCLES = Number(process.env.RECTO_KILL_ROUNDS ?? 1) * KILLS.length
const READY_MS = 10_000
const skip = existsSync('/proc/self/cwd') ? false : 'finding the processes to kill needs /proc'

test(`after ${CYCLES} kills during writes no acknowledged write is lost, and the service restarts by itself`, {
  skip,
}, async (t) => {
  await using victim = await startVictim()
  for (let number = 0; number < CYCLES; number++) {
    const kill = KILLS[number % KILLS.length] ?? 'node'
    await t.test(`${number + 1}: ${kill}`, async () => {
      const { violations, backMs } = await victim.cycle(kill)
      assert.deepEqual(violations, [])
      // Ten seconds, longer by what else the machine has to do at this moment.
      const overload = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
      assert.ok(backMs <= READY_MS * overload, `back after ${backMs.toFixed(0)} ms, overload ${overload}`)
    })
  }
  assert.deepEqual(await victim.checkAll(), [])
})
