import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fc } from '../../../../test/support/property.ts'
import { KeyedQueue, QueueFull } from './keyed-queue.ts'

test('jobs of one key run one at a time, in order of arrival', async () => {
  const queue = new KeyedQueue({ maxWaiting: 100 })
  const log: string[] = []
  const job = (name: number) => async () => {
    log.push(`start ${name}`)
    await setImmediate()
    log.push(`end ${name}`)
    return name
  }
  const names = [0, 1, 2, 3]
  assert.deepEqual(await Promise.all(names.map((name) => queue.run('k', job(name)))), names)
  assert.deepEqual(
    log,
    names.flatMap((name) => [`start ${name}`, `end ${name}`]),
  )
})

test('jobs of different keys run concurrently', async () => {
  const queue = new KeyedQueue({ maxWaiting: 0 })
  const gate = Promise.withResolvers<void>()
  const slow = queue.run('a', () => gate.promise)
  assert.equal(await queue.run('b', async () => 1), 1)
  gate.resolve()
  await slow
})

test('the first job starts synchronously', () => {
  const queue = new KeyedQueue({ maxWaiting: 0 })
  let started = false
  void queue.run('k', async () => {
    started = true
  })
  assert.ok(started)
})

test('jobs beyond maxWaiting are rejected without being run, and capacity is restored', async () => {
  const queue = new KeyedQueue({ maxWaiting: 2 })
  const gate = Promise.withResolvers<void>()
  const jobs = [1, 2, 3].map(() => queue.run('k', () => gate.promise))
  assert.equal(queue.waiting('k'), 2)
  const ran: string[] = []
  await assert.rejects(
    queue.run('k', async () => void ran.push('fourth')),
    (error) => error instanceof QueueFull && error.key === 'k',
  )
  assert.deepEqual(ran, [])
  gate.resolve()
  await Promise.all(jobs)
  assert.equal(await queue.run('k', async () => 'again'), 'again')
})

test('a job that fails, even before its first await, does not stop the next', async () => {
  const queue = new KeyedQueue({ maxWaiting: 10 })
  const outcomes = await Promise.allSettled([
    queue.run('k', () => Promise.reject(new Error('late'))),
    queue.run('k', () => {
      throw new Error('early')
    }),
    queue.run('k', async () => 'fine'),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
    ['Error: late', 'Error: early', 'fine'],
  )
  assert.equal(queue.size, 0)
})

test('a job that arrives while the next one is being started waits', async () => {
  const queue = new KeyedQueue({ maxWaiting: 10 })
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = queue.run('k', () => gate.promise)
  const second = queue.run('k', async () => {
    log.push('second')
    await setImmediate()
    log.push('second ends')
  })
  gate.resolve()
  const third = first.then(() => queue.run('k', async () => void log.push('third')))
  await Promise.all([second, third])
  assert.deepEqual(log, ['second', 'second ends', 'third'])
})

test('for any schedule no two jobs of a key overlap, and the queue is empty in the end', async () => {
  const job = fc.record({ key: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(3), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 30 }), async (jobs) => {
      const queue = new KeyedQueue({ maxWaiting: 3 })
      const running = new Set<string>()
      const started = new Map<string, number[]>()
      const outcomes = await Promise.allSettled(
        jobs.map(({ key, turns, fails }, index) =>
          queue.run(key, async () => {
            assert.ok(!running.has(key), 'two jobs of one key at once')
            running.add(key)
            started.set(key, [...(started.get(key) ?? []), index])
            for (let turn = 0; turn < turns; turn++) await setImmediate()
            running.delete(key)
            if (fails) throw new Error('on purpose')
          }),
        ),
      )
      for (const order of started.values())
        assert.deepEqual(
          order.toSorted((a, b) => a - b),
          order,
        )
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') continue
        assert.ok(
          outcome.reason instanceof QueueFull || (jobs[index]?.fails && outcome.reason.message === 'on purpose'),
        )
      }
      assert.equal(queue.size, 0)
      for (const key of ['a', 'b', 'c']) assert.equal(queue.waiting(key), 0)
    }),
    { numRuns: 50 },
  )
})
