import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../access/ctx.ts'
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/failure.ts'
import { autocommit } from '../database/transaction.ts'
import { type Finished, finishDeliveries } from './store-queue.ts'

const MAX_BATCH = 100
/** So long the first outcome waits for others, unless there are many: each statement waits for the disk. */
const GATHER_MS = 15
const MANY = 32
const MAX_WAIT_MS = 1_000

/** Writes outcomes to the log, those together that come shortly after each other. */
export interface OutcomeWriter {
  /** Settles once the outcome is written, or cannot be; the lease then brings the delivery back. */
  add(finished: Finished): Promise<void>
  /** Ends the attempts to reach a database that is away. */
  giveUp(): void
}

interface Waiting {
  readonly finished: Finished
  readonly written: () => void
}

export function createOutcomeWriter(db: Db, log: Log, maxFailingSeconds: number): OutcomeWriter {
  const waiting: Waiting[] = []
  let gathering: NodeJS.Timeout | undefined
  let writing = false
  let givenUp = false

  async function writeAll(): Promise<void> {
    clearTimeout(gathering)
    gathering = undefined
    if (writing) return
    writing = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      await write(batch.map(({ finished }) => finished))
      for (const { written } of batch) written()
    }
    writing = false
  }

  async function write(batch: readonly Finished[]): Promise<void> {
    for (let wait = 50; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
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
        // Its claims are fenced: a statement whose answer was lost changes nothing when it is run again.
        await sleep(wait)
      }
    }
  }

  return {
    add: (finished) =>
      new Promise((written) => {
        waiting.push({ finished, written })
        if (waiting.length >= MANY) writeAll()
        else gathering ??= setTimeout(writeAll, GATHER_MS)
      }),
    giveUp() {
      givenUp = true
    },
  }
}
