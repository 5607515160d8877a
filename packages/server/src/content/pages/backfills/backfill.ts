import { setTimeout as sleep } from 'node:timers/promises'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Runtime } from '../../../access/ctx.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { returnNodeLease, takeNodeLease } from '../../../platform/database/lease.ts'
import { isOtherReleaseRunning } from '../../../platform/database/releases.ts'

type Host = Pick<Runtime, 'db' | 'log'>

/** Background work on all pages that a migration or a setting has requested. */
export interface Backfill {
  /** The lease by which one node at a time does it. */
  readonly lease: string
  /** The log message when a batch fails; the batch is retried. */
  readonly failure: string
  /** The interval of looking for work; undefined: there is no further work until the next start. */
  readonly pollMs?: number
  readonly isDue: () => Promise<boolean>
  /** Processes the next batch; false: nothing is left. The position is stored, so that a crash loses one batch. */
  readonly next: () => Promise<boolean>
}

const LEASE_SECONDS = 60
/** Pause between batches, so that requests have priority. */
const REST_MS = 20
const RETRY_MS = 10_000

export interface RunningBackfill extends AsyncDisposable {
  /** Looks for work now. */
  readonly wake: () => void
}

/** Runs a backfill on one node at a time, once no node of another release is connected, until it is disposed. */
export function startBackfill(host: Host, backfill: Backfill): RunningBackfill {
  const stop = new AbortController()
  const alarm = { wake: () => {} }
  const working = run(host, backfill, stop.signal, alarm)
  return {
    wake: () => alarm.wake(),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await working
    },
  }
}

async function run(host: Host, backfill: Backfill, signal: AbortSignal, alarm: { wake: () => void }): Promise<void> {
  const lease = { name: backfill.lease, holder: uuid7(), seconds: LEASE_SECONDS }
  let isHeld = false
  const giveBack = async () => {
    if (isHeld) await returnNodeLease(autocommit(host.db), lease)
    isHeld = false
  }
  while (!signal.aborted) {
    const woken = new AbortController()
    alarm.wake = () => woken.abort()
    let wait = backfill.pollMs ?? RETRY_MS
    try {
      if (!(await backfill.isDue())) {
        if (backfill.pollMs === undefined) return
        await giveBack()
      } else if (!(await isOtherReleaseRunning(host.db)) && (await takeNodeLease(autocommit(host.db), lease))) {
        isHeld = true
        if (await backfill.next()) wait = REST_MS
        else await giveBack()
      }
    } catch (error) {
      host.log.warn({ err: error }, backfill.failure)
    }
    const endSignal = AbortSignal.any([signal, woken.signal])
    await sleep(wait, undefined, { signal: endSignal, ref: false }).catch(() => {}) // rejects only when it is aborted
  }
  await giveBack().catch(() => {}) // else it ends by itself
}
