import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeasedRateLimit } from './rate-lease.ts'
import type { Lease } from './store-rate-lease.ts'

const MINUTE = 60_000

/** An in-memory model of the leases in SQL; `time` in milliseconds. */
function store(time: () => number) {
  let since = time()
  let used = 0
  const asks: number[] = []
  return {
    asks,
    async ask({ quota, needed }: { quota: number; needed: number }): Promise<Lease> {
      if (time() - since >= MINUTE) [since, used] = [time(), 0]
      const left = quota - used
      const share = Math.max(needed, Math.min(Math.floor(quota / 32), Math.floor(left / 4)), Math.min(1, left))
      const granted = needed > left ? 0 : share
      used += granted
      asks.push(granted)
      return { granted, left: quota - used, window: since, ageMs: time() - since }
    },
  }
}

test('one node: a key has its quota, the remaining quota is exact, and few leases are acquired', async () => {
  let now = 1_000
  const shared = store(() => now)
  const limit = new LeasedRateLimit(600, shared.ask, { clock: () => now })
  for (let sent = 1; sent <= 600; sent++) {
    assert.deepEqual(await limit.take('a'), { allowed: true, remaining: 600 - sent, resetSeconds: 60 }, `${sent}`)
  }
  now += 30_000
  const asked = shared.asks.length
  assert.deepEqual(await limit.take('a'), { allowed: false, remaining: 0, resetSeconds: 30 })
  assert.equal(shared.asks.length, asked, 'nobody asks for what is not there')
  assert.ok(asked <= 60, `${asked} leases`)
  now += 30_000
  assert.deepEqual(await limit.take('a'), { allowed: true, remaining: 599, resetSeconds: 60 })
})

test('three nodes: a key has its quota over all of them, and at least nine tenths of it', async () => {
  for (const quota of [1, 7, 60, 600]) {
    let now = 0
    const shared = store(() => now)
    const nodes = [0, 1, 2].map(() => new LeasedRateLimit(quota, shared.ask, { clock: () => now }))
    // A node with few requests keeps its lease.
    const turns = [0, 1, 2, ...Array(4 * quota).fill(0)]
    const answers = await Promise.all(turns.map(async (node) => (await nodes[node]?.take('a'))?.allowed))
    const allowed = answers.filter(Boolean).length
    assert.ok(allowed <= quota, `${allowed} of ${quota}`)
    assert.ok(allowed >= Math.floor(0.9 * quota), `${allowed} of ${quota}`)
    now += MINUTE
    assert.equal((await nodes[1]?.take('a'))?.allowed, true)
  }
})

test('several requests in one call are counted all or none', async () => {
  const limit = new LeasedRateLimit(10, store(() => 0).ask, { clock: () => 0 })
  assert.equal((await limit.take('a', 8)).allowed, true)
  assert.deepEqual(await limit.take('a', 5), { allowed: false, remaining: 2, resetSeconds: 60 })
  assert.equal((await limit.take('a', 2)).allowed, true)
})

test('while the database is unavailable a node counts locally, and leases what it counted afterwards', async () => {
  let now = 0
  const shared = store(() => now)
  let away = true
  const ask: typeof shared.ask = (asked) => (away ? Promise.reject(new Error('away')) : shared.ask(asked))
  const limit = new LeasedRateLimit(100, ask, { clock: () => now })
  for (let sent = 1; sent <= 40; sent++) {
    assert.deepEqual(await limit.take('a'), { allowed: true, remaining: 100 - sent, resetSeconds: 60 })
  }
  away = false
  now += 6_000
  assert.equal((await limit.take('a')).remaining, 59)
  assert.equal(shared.asks[0], 41)
})
