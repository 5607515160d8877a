import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { FairQueue } from './fair-queue.ts'

test('keys are served in turn, however many items one of them has', () => {
  const queue = new FairQueue<string>({ total: 4, perKey: 3 })
  for (let n = 0; n < 5; n++) queue.add('a', `a${n}`)
  queue.add('b', 'b0')
  const started = Array.from({ length: 6 }, () => queue.startNext())
  assert.deepEqual(started, ['a0', 'b0', 'a1', 'a2', undefined, undefined])
  queue.finish('b')
  // The key is at its limit, although others may run.
  assert.equal(queue.startNext(), undefined)
  queue.add('c', 'c0')
  assert.equal(queue.startNext(), 'c0')
})

test('nothing overtakes what waits for the same key', () => {
  const queue = new FairQueue<string>({ perKey: 1 })
  assert.equal(queue.tryStart('a'), 'started')
  queue.add('a', 'waiting')
  queue.finish('a')
  assert.equal(queue.tryStart('a'), 'key')
  assert.equal(queue.startNext(), 'waiting')
})

test('for any order of arrivals, ends and departures all limits hold and nothing is lost', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), key }),
    fc.record({ do: fc.constant('finish' as const), key }),
    fc.record({ do: fc.constant('remove' as const), key }),
    fc.record({ do: fc.constant('drain' as const), key }),
  )
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const queue = new FairQueue<{ readonly key: string }>({ total: 4, perKey: 2 })
      const running: { readonly key: string }[] = []
      let waiting: { readonly key: string }[] = []
      for (const each of steps) {
        const ofKey = waiting.filter((item) => item.key === each.key)
        if (each.do === 'add') {
          const item = { key: each.key }
          waiting.push(item)
          queue.add(each.key, item)
        } else if (each.do === 'drain') {
          assert.deepEqual(queue.drain(each.key), ofKey)
          waiting = waiting.filter((item) => item.key !== each.key)
        } else if (each.do === 'remove') {
          const [item] = ofKey
          if (item) queue.remove(each.key, item)
          waiting = waiting.filter((other) => other !== item)
        } else {
          const index = running.findIndex((item) => item.key === each.key)
          if (index === -1) continue
          running.splice(index, 1)
          queue.finish(each.key)
        }
        for (let item = queue.startNext(); item; item = queue.startNext()) {
          const first = waiting.find((other) => other.key === item.key)
          assert.equal(item, first)
          waiting = waiting.filter((other) => other !== item)
          running.push(item)
        }
        assert.deepEqual([queue.running, queue.queued], [running.length, waiting.length])
        assert.ok(running.length <= 4)
        for (const name of ['a', 'b', 'c']) {
          assert.ok(running.filter((item) => item.key === name).length <= 2)
          assert.equal(queue.countQueued(name), waiting.filter((item) => item.key === name).length)
        }
      }
    }),
  )
})
