import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../access/ctx.ts'
import type { Db } from '../database/database.ts'
import type { Presence } from '../database/presence.ts'
import { autocommit } from '../database/transaction.ts'
import { DeliveryQueues, type QueueLimits } from './delivery-queues.ts'
import type { DeliverySender } from './delivery-sender.ts'
import type { OutcomeWriter } from './outcomes.ts'
import { type ClaimedRow, claimDeliveries, type Finished, releaseDeliveries } from './store-queue.ts'

/** Sends what is due, for as long as the process runs. Disposing it lets the attempts that run come to their end. */
export interface DeliveryWorker extends AsyncDisposable {
  /** Looks for due deliveries now, without waiting for the poll. */
  wake(): void
}

export interface WorkerOptions {
  readonly db: Db
  readonly log: Log
  readonly courier: DeliverySender
  readonly outcomes: OutcomeWriter
  readonly keyId: string
  readonly presence: Presence
  readonly limits: QueueLimits
  readonly pollMs: number
  /** So long a claim holds: longer than the longest attempt and the wait for it. */
  readonly leaseMs: number
  /** A claim that is older is given back instead of being attempted. */
  readonly startWithinMs: number
  /** At the end, so long the attempts that run may go on. */
  readonly drainMs: number
}

/** Attempts that ended and are not in the log yet: with those that run, what a crash may repeat. */
const MAX_UNWRITTEN = 50
/** Between claims, so that many small writes share one. */
const CLAIM_EVERY_MS = 10

interface Job {
  readonly webhookId: string
  readonly failing: boolean
  readonly row: ClaimedRow
  /** The lease may have too little time left after this. */
  readonly startBy: number
}

export function startDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { db, log, courier, outcomes } = options
  const lanes = new DeliveryQueues<Job>(options.limits)
  const running = new Set<Promise<void>>()
  /** Webhooks that had more due than was claimed. */
  const more = new Set<string>()
  const stop = new AbortController()
  let unwritten = 0
  let stopping = false
  let claiming: Promise<void> | undefined
  let again = false
  let claimed = Number.NEGATIVE_INFINITY
  /** Whether something due was left alone because everything was busy. */
  let crowded = false

  function wake(): void {
    again = true
    if (stopping || claiming) return
    claiming = claimAll().finally(() => {
      claiming = undefined
      if (again) wake()
    })
  }

  async function claimAll(): Promise<void> {
    while (again && !stopping) {
      const rest = claimed + CLAIM_EVERY_MS - performance.now()
      if (rest > 0) await sleep(rest)
      if (stopping) return
      claimed = performance.now()
      again = false
      const rooms = lanes.capacity()
      crowded = rooms.total <= 0
      if (crowded) return
      try {
        const startBy = performance.now() + options.startWithinMs
        const rows = await claimDeliveries(autocommit(db), rooms, {
          keyId: options.keyId,
          leaseSeconds: options.leaseMs / 1000,
          node: options.presence.node,
        })
        crowded = rows.length >= rooms.total
        take(rows, startBy)
      } catch (error) {
        log.warn({ err: error }, 'due deliveries could not be claimed: the next poll tries again')
        return
      }
    }
  }

  function take(rows: readonly ClaimedRow[], startBy: number): void {
    for (const row of rows) {
      more.add(row.webhook_id)
      lanes.add({ webhookId: row.webhook_id, failing: row.failing, row, startBy })
    }
    startAll()
  }

  function startAll(): void {
    while (!stopping && unwritten < MAX_UNWRITTEN) {
      const job = lanes.next()
      if (!job) return
      const run = carry(job).finally(() => running.delete(run))
      running.add(run)
    }
  }

  async function carry(job: Job): Promise<void> {
    const began = performance.now()
    let failed = true
    try {
      const carried = began > job.startBy ? undefined : await courier.send(job.row, stop.signal)
      failed = carried !== undefined && carried.outcome.status !== 'succeeded'
      if (carried) write(carried.finished)
      else await release([job])
      // What waits behind a failure may wait long: another node, or a later claim, shall have it.
      if (failed) await release(lanes.drain(job.webhookId))
    } catch (error) {
      log.error({ err: error, delivery: job.row.id }, 'a delivery could not be attempted')
    } finally {
      lanes.done(job, { failed, ms: performance.now() - began })
      startAll()
      const hungry = more.has(job.webhookId) && lanes.wants(job.webhookId)
      if (hungry) more.delete(job.webhookId)
      if (hungry || crowded) wake()
    }
  }

  /** The next attempt need not wait for the disk, but what a crash would repeat stays little. */
  function write(finished: Finished): void {
    unwritten += 1
    const writing = outcomes.add(finished).finally(() => {
      unwritten -= 1
      running.delete(writing)
      startAll()
    })
    running.add(writing)
  }

  async function release(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return
    const claims = jobs.map(({ row }) => ({ webhookId: row.webhook_id, id: row.id, claim: row.claim }))
    try {
      await releaseDeliveries(autocommit(db), claims)
    } catch (error) {
      log.warn({ err: error }, 'claims could not be given back: they end with their lease')
    }
  }

  const poll = setInterval(wake, options.pollMs)
  wake()

  return {
    wake,
    async [Symbol.asyncDispose]() {
      stopping = true
      clearInterval(poll)
      await claiming
      await release(lanes.drain())
      const cut = setTimeout(() => {
        outcomes.giveUp()
        stop.abort()
      }, options.drainMs)
      // Outcomes join while the attempts end.
      while (running.size > 0) await Promise.all(running)
      clearTimeout(cut)
    },
  }
}
