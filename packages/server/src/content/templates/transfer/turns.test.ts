import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { takeTurns } from './turns.ts'

function startBatches(count: number) {
  const log: string[] = []
  const inTurn = takeTurns()
  const batches = Array.from({ length: count }, (_, n) => {
    const [connection, result, commit] = [0, 1, 2].map(() => Promise.withResolvers<void>())
    const done = inTurn(async (turn) => {
      await turn.mayConnect
      log.push(`${n} asks for a connection`)
      await connection?.promise
      turn.connected()
      await turn.mayWrite
      log.push(`${n} writes`)
      await result?.promise
      turn.executed()
      await commit?.promise
      return n
    })
    return { connection, result, commit, done }
  })
  return { log, batches }
}

test('a batch asks for its connection after the one before has its own, and writes beside the commit of that', async () => {
  const { log, batches } = startBatches(3)
  const step = async (act: (() => void) | undefined) => {
    act?.()
    await settled()
    return log.splice(0)
  }
  const [first, second, third] = batches
  assert.deepEqual(await step(undefined), ['0 asks for a connection'])
  assert.deepEqual(await step(first?.connection?.resolve), ['0 writes', '1 asks for a connection'])
  assert.deepEqual(await step(second?.connection?.resolve), ['2 asks for a connection'])
  assert.deepEqual(await step(third?.connection?.resolve), [])
  assert.deepEqual(await step(first?.result?.resolve), ['1 writes'])
  assert.deepEqual(await step(second?.result?.resolve), ['2 writes'])
  for (const { result, commit } of batches) {
    result?.resolve()
    commit?.resolve()
  }
  assert.deepEqual(await Promise.all(batches.map(({ done }) => done)), [0, 1, 2])
})

test('a batch that ends without a word lets the next one go on', async () => {
  const inTurn = takeTurns()
  await inTurn(async () => {})
  await inTurn(async ({ mayConnect, mayWrite }) => Promise.all([mayConnect, mayWrite]))
})

test('after a batch that fails the later ones fail with its error, and write nothing', async () => {
  const { log, batches } = startBatches(3)
  batches[0]?.connection?.reject(new Error('lost'))
  for (const { done } of batches) await assert.rejects(done, /lost/)
  assert.deepEqual(log, ['0 asks for a connection'])
})
