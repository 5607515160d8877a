import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fault, missingForCluster, startCluster } from '../support/cluster.ts'

const ROUNDS: readonly Fault[] = [
  'the primary is killed',
  'the primary freezes, and thaws once another is the primary',
  'a planned switch-over',
]

/** A busy machine takes longer than the five seconds that `cluster.ts` asks for. */
const BACK_MS = 15_000

test('three nodes follow the failovers of a PostgreSQL cluster without losing an acknowledged write', {
  skip: missingForCluster(),
}, async (t) => {
  await using cluster = await startCluster()
  for (const fault of ROUNDS) {
    await t.test(fault, async (t) => {
      const { violations, acknowledged, backMs } = await cluster.round(fault)
      assert.deepEqual(violations, [])
      assert.ok(backMs <= BACK_MS, `writes were back after ${backMs.toFixed(0)} ms`)
      t.diagnostic(`${acknowledged} acknowledged, back after ${backMs.toFixed(0)} ms`)
    })
  }
  assert.deepEqual(await cluster.checkAll(), [])
})
