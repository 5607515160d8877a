import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../access/ctx.ts'
import type { Db } from '../database/database.ts'
import { returnLease, takeLease } from '../database/lease.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { deleteOldDeliveries } from './store-sweep.ts'

const LEASE = 'webhook delivery sweep'
const LEASE_SECONDS = 60
const EVERY_MS = 10 * 60_000
const BATCH = 500
/** Between batches, so that the sweep never competes with the work. */
const REST_MS = 50
const KEPT_DAYS = 30
const DAY_MS = 24 * 3600_000

/** Deletes deliveries after 30 days, on one node at a time, until it is disposed. */
export function startSweep(options: { readonly db: Db; readonly log: Log }): AsyncDisposable {
  const stop = new AbortController()
  const holder = uuid7()
  const run = repeat(
    stop.signal,
    async () => {
      if (!(await takeLease(options.db, { name: LEASE, holder, seconds: LEASE_SECONDS }))) return
      const count = await sweep(options.db, { now: new Date(), holder, signal: stop.signal })
      if (count > 0) options.log.info({ count }, 'old webhook deliveries were deleted')
      await returnLease(options.db, { name: LEASE, holder })
    },
    options.log,
  )
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await run
    },
  }
}

/** Deletes what is old in small batches, while the lease holds; says how many. */
async function sweep(
  db: Db,
  options: { readonly now: Date; readonly holder: string; readonly signal: AbortSignal },
): Promise<number> {
  const bound = firstIdOf(options.now.getTime() - KEPT_DAYS * DAY_MS)
  let count = 0
  while (!options.signal.aborted) {
    const deleted = await deleteOldDeliveries(db, { bound, limit: BATCH })
    count += deleted
    if (deleted === 0) break
    await pause(REST_MS, options.signal)
    if (!(await takeLease(db, { name: LEASE, holder: options.holder, seconds: LEASE_SECONDS }))) break
  }
  return count
}

/** The least UUIDv7 of a time. */
export function firstIdOf(time: number): string {
  const hex = Math.trunc(time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

async function repeat(signal: AbortSignal, work: () => Promise<void>, log: Log): Promise<void> {
  // Nodes that start together do not sweep together.
  for (let wait = 5_000 + Math.random() * 25_000; ; wait = EVERY_MS * (0.9 + Math.random() * 0.2)) {
    await pause(wait, signal)
    if (signal.aborted) return
    try {
      await work()
    } catch (error) {
      log.warn({ err: error }, 'the sweep of webhook deliveries did not end: it is tried again later')
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {}) // rejects only when it is aborted
}
