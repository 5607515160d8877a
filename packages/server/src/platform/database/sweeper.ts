import { setTimeout as sleep } from 'node:timers/promises'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type Autocommit, autocommit, type Db } from './database.ts'
import { returnNodeLease, takeNodeLease } from './lease.ts'

/** A periodic background job over rows in small batches, such as deleting old ones. */
export interface Sweep {
  /** The name of the lease, also used in the log. */
  readonly name: string
  /** Processes the next batch of rows due at this time and returns how many; 0 when none is left. */
  batch(db: Autocommit, now: Date): Promise<number>
}

interface Runtime {
  readonly db: Db
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

const LEASE_SECONDS = 60
const EVERY_MS = 10 * 60_000
/** Pause between batches, so that requests have priority. */
const REST_MS = 50

/** Runs the sweep periodically, on one node at a time, until it is disposed. */
export function startSweeper(runtime: Runtime, sweep: Sweep): AsyncDisposable {
  const stop = new AbortController()
  const run = repeat(runtime, sweep, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await run
    },
  }
}

async function repeat({ db, log }: Runtime, sweep: Sweep, signal: AbortSignal): Promise<void> {
  const holder = uuid7()
  // Nodes that start together do not sweep together.
  for (let wait = 5_000 + Math.random() * 25_000; ; wait = EVERY_MS * (0.9 + Math.random() * 0.2)) {
    await pause(wait, signal)
    if (signal.aborted) return
    try {
      const count = await sweepAll(autocommit(db), sweep, { holder, signal })
      if (count > 0) log.info({ count }, `${sweep.name}: done`)
    } catch (error) {
      log.warn({ err: error }, `${sweep.name}: failed, will be tried again later`)
    }
  }
}

/** Runs batches while this node holds the lease; returns the number of rows. */
async function sweepAll(
  db: Autocommit,
  { name, batch }: Sweep,
  { holder, signal }: { readonly holder: string; readonly signal: AbortSignal },
): Promise<number> {
  const lease = { name, holder, seconds: LEASE_SECONDS }
  const now = new Date()
  let count = 0
  while (!signal.aborted && (await takeNodeLease(db, lease))) {
    const done = await batch(db, now)
    count += done
    if (done === 0) break
    await pause(REST_MS, signal)
  }
  await returnNodeLease(db, lease)
  return count
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {}) // rejects only when it is aborted
}
