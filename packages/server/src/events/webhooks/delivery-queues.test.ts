import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/property.ts'
import { DeliveryQueues, type QueuedDelivery } from './delivery-queues.ts'

const LIMITS = { total: 10, perWebhook: 3, failingTotal: 4, failingPerWebhook: 2, queuedTotal: 20, queuedPerWebhook: 9 }
const delivery = (webhookId: string, failing = false): QueuedDelivery => ({ webhookId, failing })

function startAll(queues: DeliveryQueues<QueuedDelivery>): QueuedDelivery[] {
  const started: QueuedDelivery[] = []
  for (let next = queues.startNext(); next; next = queues.startNext()) started.push(next)
  return started
}

test('queues are served round-robin, up to the limit of each webhook', () => {
  const queues = new DeliveryQueues<QueuedDelivery>(LIMITS)
  for (let n = 0; n < 8; n++) queues.add(delivery('slow'))
  for (let n = 0; n < 2; n++) queues.add(delivery('quick'))
  const order = startAll(queues).map(({ webhookId }) => webhookId)
  assert.deepEqual(order, ['slow', 'quick', 'slow', 'quick', 'slow'])
  assert.equal(queues.queued, 5)
})

test('capacity includes the prefetch of a webhook only while its attempts are fast and succeed', () => {
  const queues = new DeliveryQueues<QueuedDelivery>(LIMITS)
  const capacityOfA = () => {
    const { busy, perWebhook } = queues.capacity()
    return busy.find(({ id }) => id === 'a')?.capacity ?? perWebhook
  }
  assert.equal(capacityOfA(), 3)
  queues.add(delivery('a'))
  const [first] = startAll(queues)
  assert.ok(first)
  assert.equal(capacityOfA(), 2)
  queues.finish(first, { failed: false, ms: 1 })
  assert.equal(capacityOfA(), 3 + 9)
  queues.add(delivery('a'))
  const [second] = startAll(queues)
  assert.ok(second)
  queues.finish(second, { failed: true, ms: 1 })
  assert.equal(capacityOfA(), 3)
})

test('failing webhooks at their limit leave capacity for the others', () => {
  const queues = new DeliveryQueues<QueuedDelivery>(LIMITS)
  for (const id of ['a', 'b']) for (let n = 0; n < 2; n++) queues.add(delivery(id, true))
  startAll(queues)
  const capacity = queues.capacity()
  assert.equal(capacity.failingTotal, 0)
  assert.ok(capacity.total > 0)
  assert.deepEqual(
    capacity.busy.map(({ failingCapacity }) => failingCapacity),
    [0, 0],
  )
})

test('drain returns what is queued for a webhook, and not what is running', () => {
  const queues = new DeliveryQueues<QueuedDelivery>(LIMITS)
  for (let n = 0; n < 5; n++) queues.add(delivery('a'))
  queues.add(delivery('b'))
  startAll(queues)
  assert.equal(queues.drain('a').length, 2)
  assert.equal(queues.queued, 0)
  assert.deepEqual(queues.drain(), [])
})

test('for any order of arrivals and ends, all limits hold and no delivery is lost', () => {
  const event = fc.oneof(
    fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
    fc.record({ finish: fc.nat(20), failed: fc.boolean() }),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const queues = new DeliveryQueues<QueuedDelivery>(LIMITS)
      const running: QueuedDelivery[] = []
      let added = 0
      let finished = 0
      for (const one of events) {
        if ('add' in one) {
          queues.add(delivery(one.add))
          added += 1
        } else if (running.length > 0) {
          const [ended] = running.splice(one.finish % running.length, 1)
          if (ended) queues.finish(ended, { failed: one.failed, ms: 5 })
          finished += 1
        }
        running.push(...startAll(queues))
        const runningOf = (id: string) => running.filter(({ webhookId }) => webhookId === id).length
        assert.ok(running.length <= LIMITS.total)
        for (const id of ['a', 'b', 'c', 'd', 'e']) assert.ok(runningOf(id) <= LIMITS.perWebhook)
        assert.equal(queues.running, running.length)
        assert.equal(added, finished + running.length + queues.queued)
        assert.ok(queues.capacity().total >= 0)
      }
    }),
  )
})
