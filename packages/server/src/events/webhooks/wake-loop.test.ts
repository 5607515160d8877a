import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WakeLoop } from './wake-loop.ts'

/** A loop whose runs the test ends one by one. */
function controlledLoop() {
  const runs: PromiseWithResolvers<void>[] = []
  let waiting = Promise.withResolvers<void>()
  const loop = new WakeLoop(() => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    waiting.resolve()
    return run.promise
  }, 0)
  return {
    loop,
    runs,
    /** Ends the run in progress. */
    end: () => runs.at(-1)?.resolve(),
    /** Waits until so many runs have begun. */
    async begun(count: number) {
      while (runs.length < count) {
        await waiting.promise
        waiting = Promise.withResolvers()
      }
    },
  }
}

test('wake-ups during a run cause exactly one further run, and runs never overlap', async () => {
  const { loop, runs, end, begun } = controlledLoop()
  loop.wake()
  await begun(1)
  for (let n = 0; n < 10; n++) loop.wake()
  assert.equal(runs.length, 1, 'the first run has not ended')
  end()
  await begun(2)
  const stopped = loop.stop()
  end()
  await stopped
  assert.equal(runs.length, 2, 'ten wake-ups are one run')
})

test('a wake-up after a run begins another one, and none after the stop', async () => {
  const { loop, runs, end, begun } = controlledLoop()
  loop.wake()
  await begun(1)
  end()
  // Whether the loop has ended or not, the wake-up counts.
  await new Promise(setImmediate)
  loop.wake()
  await begun(2)
  const stopped = loop.stop()
  end()
  await stopped
  loop.wake()
  await new Promise(setImmediate)
  assert.equal(runs.length, 2)
})

test('two runs begin at least the interval apart', async () => {
  const begun: number[] = []
  const second = Promise.withResolvers<void>()
  const loop = new WakeLoop(async () => {
    begun.push(performance.now())
    if (begun.length === 2) second.resolve()
    else loop.wake()
  }, 30)
  loop.wake()
  await second.promise
  const [first = 0, next = 0] = begun
  assert.ok(next - first >= 30, `${next - first} ms`)
  await loop.stop()
})
