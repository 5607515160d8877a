import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../access/ctx.ts'
import { classifyFailure } from '../../platform/database/availability/failure.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import { type FinishedAttempt, finishDeliveries } from './store-queue.ts'

const MAX_BATCH = 100
/** Group commit: the first outcome waits this long for others, unless FULL_ENOUGH wait. Each commit costs an fsync. */
const BATCH_WINDOW_MS = 15
const FULL_ENOUGH = 32
const MIN_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 1_000

/** Writes the outcomes of attempts in batches. */
export class OutcomeWriter {
  readonly #db: Db
  readonly #log: Log
  readonly #maxFailingSeconds: number
  readonly #pending: { readonly finished: FinishedAttempt; readonly resolve: () => void }[] = []
  #batchTimer: NodeJS.Timeout | undefined
  #writing = false
  #givenUp = false

  constructor(db: Db, log: Log, maxFailingSeconds: number) {
    this.#db = db
    this.#log = log
    this.#maxFailingSeconds = maxFailingSeconds
  }

  /** Resolves when the outcome was written or given up; then the delivery is due again when its lease ends. */
  add(finishedAttempt: FinishedAttempt): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#pending.push({ finished: finishedAttempt, resolve })
    if (this.#pending.length >= FULL_ENOUGH) this.#flush()
    else this.#batchTimer ??= setTimeout(() => this.#flush(), BATCH_WINDOW_MS)
    return promise
  }

  /** Stops retrying while the database is unavailable. */
  giveUp(): void {
    this.#givenUp = true
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#batchTimer)
    this.#batchTimer = undefined
    if (this.#writing) return
    this.#writing = true
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, MAX_BATCH)
      await this.#write(batch.map(({ finished }) => finished))
      for (const { resolve } of batch) resolve()
    }
    this.#writing = false
  }

  async #write(batch: readonly FinishedAttempt[]): Promise<void> {
    for (let backoff = MIN_BACKOFF_MS; ; backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)) {
      try {
        const disabled = await finishDeliveries(autocommit(this.#db), batch, this.#maxFailingSeconds)
        for (const { id, disabled_reason: reason } of disabled)
          this.#log.warn({ webhook: id, reason }, 'a webhook was disabled')
        return
      } catch (error) {
        if (classifyFailure(error) === 'other' || this.#givenUp) {
          this.#log.error({ err: error }, 'outcomes of deliveries were not written: they will be attempted again')
          return
        }
        // The statement is idempotent, because claims are fenced: it may be retried after a lost response.
        await sleep(backoff)
      }
    }
  }
}
