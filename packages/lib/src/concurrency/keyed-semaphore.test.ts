import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { KeyedSemaphore } from './fair-queue.ts'

test('for any schedule no key exceeds its limit, and all keys together do not exceed the total', () => {
  const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), acquire: fc.boolean() }))
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 }), (all, perKey, total) => {
      const semaphore = new KeyedSemaphore({ perKey, total })
      const held = new Map<string, (() => void)[]>()
      const count = () => [...held.values()].reduce((sum, some) => sum + some.length, 0)
      for (const { key, acquire } of all) {
        const mine = held.get(key) ?? []
        if (acquire) {
          const release = semaphore.tryAcquire(key)
          const expected = mine.length >= perKey ? 'key' : count() >= total ? 'total' : 'given'
          assert.equal(typeof release === 'string' ? release : 'given', expected)
          if (typeof release !== 'string') held.set(key, [...mine, release])
        } else {
          const release = mine.pop()
          release?.()
          release?.()
        }
        assert.equal(semaphore.held, count())
      }
    }),
  )
})

test('who waits is admitted in order, and one that leaves is skipped', async () => {
  const semaphore = new KeyedSemaphore({ perKey: 1 })
  const never = new AbortController().signal
  const first = await semaphore.acquire('a', never)
  const leaving = new AbortController()
  const second = semaphore.acquire('a', leaving.signal)
  const third = semaphore.acquire('a', never)
  assert.equal(semaphore.countWaiting('a'), 2)
  assert.equal(semaphore.tryAcquire('a'), 'key')
  ;(await semaphore.acquire('b', never))()
  leaving.abort(new Error('left'))
  await assert.rejects(second, { message: 'left' })
  first()
  first()
  const release = await third
  assert.deepEqual([semaphore.held, semaphore.waiting], [1, 0])
  release()
  await assert.rejects(semaphore.acquire('a', leaving.signal))
  assert.equal(semaphore.held, 0)
})
