import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DeliveryQueues, type QueuedDelivery } from './delivery-queues.ts'

const LIMITS = {
  total: 10,
  perWebhook: 3,
  failingTotal: 4,
  failingPerWebhook: 2,
  readyTotal: 20,
  readyPerWebhook: 9,
}
const job = (webhookId: string, failing = false): QueuedDelivery => ({ webhookId, failing })

function drained(lanes: DeliveryQueues<QueuedDelivery>): QueuedDelivery[] {
  const jobs: QueuedDelivery[] = []
  for (let next = lanes.next(); next; next = lanes.next()) jobs.push(next)
  return jobs
}

test('one webhook never takes more than its places, and lanes take turns', () => {
  const lanes = new DeliveryQueues<QueuedDelivery>(LIMITS)
  for (let n = 0; n < 8; n++) lanes.add(job('slow'))
  for (let n = 0; n < 2; n++) lanes.add(job('quick'))
  const order = drained(lanes).map(({ webhookId }) => webhookId)
  assert.deepEqual(order, ['slow', 'quick', 'slow', 'quick', 'slow'])
  assert.equal(lanes.ready, 5)
})

test('a webhook is claimed ahead only while it answers quickly', () => {
  const lanes = new DeliveryQueues<QueuedDelivery>(LIMITS)
  const room = () => lanes.capacity().busy.find(({ id }) => id === 'a')?.room ?? lanes.capacity().room
  assert.equal(room(), 3)
  lanes.add(job('a'))
  const [first] = drained(lanes)
  assert.ok(first)
  assert.equal(room(), 2)
  lanes.done(first, { failed: false, ms: 1 })
  assert.equal(room(), 3 + 9)
  lanes.add(job('a'))
  const [second] = drained(lanes)
  assert.ok(second)
  lanes.done(second, { failed: true, ms: 1 })
  assert.equal(room(), 3)
})

test('failing webhooks leave places to the others', () => {
  const lanes = new DeliveryQueues<QueuedDelivery>(LIMITS)
  for (const id of ['a', 'b']) for (let n = 0; n < 2; n++) lanes.add(job(id, true))
  drained(lanes)
  const rooms = lanes.capacity()
  assert.equal(rooms.failingTotal, 0)
  assert.ok(rooms.total > 0)
  assert.deepEqual(
    rooms.busy.map(({ failingRoom }) => failingRoom),
    [0, 0],
  )
})

test('what waits in a lane can be taken back', () => {
  const lanes = new DeliveryQueues<QueuedDelivery>(LIMITS)
  for (let n = 0; n < 5; n++) lanes.add(job('a'))
  lanes.add(job('b'))
  drained(lanes)
  assert.equal(lanes.drain('a').length, 2)
  assert.equal(lanes.ready, 0)
  assert.deepEqual(lanes.drain(), [])
})

test('whatever comes and ends, no limit is broken and nothing is lost', () => {
  const event = fc.oneof(
    fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
    fc.record({ done: fc.nat(20), failed: fc.boolean() }),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const lanes = new DeliveryQueues<QueuedDelivery>(LIMITS)
      const running: QueuedDelivery[] = []
      let added = 0
      let ended = 0
      for (const one of events) {
        if ('add' in one) {
          lanes.add(job(one.add))
          added += 1
        } else if (running.length > 0) {
          const [claim] = running.splice(one.done % running.length, 1)
          if (claim) lanes.done(claim, { failed: one.failed, ms: 5 })
          ended += 1
        }
        running.push(...drained(lanes))
        const of = (id: string) => running.filter(({ webhookId }) => webhookId === id).length
        assert.ok(running.length <= LIMITS.total)
        for (const id of ['a', 'b', 'c', 'd', 'e']) assert.ok(of(id) <= LIMITS.perWebhook)
        assert.equal(lanes.running, running.length)
        assert.equal(added, ended + running.length + lanes.ready)
        assert.ok(lanes.capacity().total >= 0)
      }
    }),
  )
})
