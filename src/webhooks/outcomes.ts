import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../access/ctx.ts'
import { failureOf } from '../database/availability/failure.ts'
import type { Db } from '../database/database.ts'
import { autocommit } from '../database/transaction.ts'
import { type FinishedAttempt, finishDeliveries } from './store-queue.ts'

const MAX_BATCH = 100
/** Group commit: the first outcome waits this long for others, unless FULL_ENOUGH of them wait. Each commit costs an fsync. */
const BATCH_WINDOW_MS = 15
const FULL_ENOUGH = 32
const MIN_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 1_000

/** Writes the outcomes of attempts in batches. */
export interface OutcomeWriter {
  /** Resolves when the outcome was written or given up; in the latter case the delivery is due again when its lease ends. */
  add(finished: FinishedAttempt): Promise<void>
  /** Stops retrying while the database is unavailable. */
  giveUp(): void
}

interface PendingOutcome {
  readonly finished: FinishedAttempt
  readonly resolve: () => void
}

export function createOutcomeWriter(db: Db, log: Log, maxFailingSeconds: number): OutcomeWriter {
  const pending: PendingOutcome[] = []
  let batchTimer: NodeJS.Timeout | undefined
  let writing = false
  let givenUp = false

  async function flush(): Promise<void> {
    clearTimeout(batchTimer)
    batchTimer = undefined
    if (writing) return
    writing = true
    while (pending.length > 0) {
      const batch = pending.splice(0, MAX_BATCH)
      await write(batch.map(({ finished }) => finished))
      for (const { resolve } of batch) resolve()
    }
    writing = false
  }

  async function write(batch: readonly FinishedAttempt[]): Promise<void> {
    for (let backoff = MIN_BACKOFF_MS; ; backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)) {
      try {
        const disabled = await finishDeliveries(autocommit(db), batch, maxFailingSeconds)
        for (const { id, disabled_reason: reason } of disabled)
          log.warn({ webhook: id, reason }, 'a webhook was disabled')
        return
      } catch (error) {
        if (failureOf(error) === 'other' || givenUp) {
          log.error({ err: error }, 'outcomes of deliveries were not written: they will be attempted again')
          return
        }
        // The statement is idempotent, because claims are fenced: it may be retried after a lost response.
        await sleep(backoff)
      }
    }
  }

  return {
    add: (finished) =>
      new Promise((resolve) => {
        pending.push({ finished, resolve })
        if (pending.length >= FULL_ENOUGH) flush()
        else batchTimer ??= setTimeout(flush, BATCH_WINDOW_MS)
      }),
    giveUp() {
      givenUp = true
    },
  }
}
