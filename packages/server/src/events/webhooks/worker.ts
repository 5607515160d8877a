/**
 * The worker of the delivery queue: the relay of a transactional outbox, as one of several competing consumers (one on
 * each node). A delivery is a row that was written in the transaction of its event. Here it passes through these
 * states:
 *
 * 1. due. The row is pending and its time has come. `wake` (a write on this node, a notice of another one, the poll)
 *    starts `#claim`, which leases at most as many rows as the queues have capacity for.
 * 2. queued. It waits in the queue of its webhook (a bulkhead, see delivery-queues.ts) until `#startSends` takes it.
 * 3. sending. `#process` makes one attempt. A claim that waited too long is released instead: its lease could end
 * during
 *    the attempt, and another node would send the same.
 * 4. recording. The outcome is written in a batch with others (outcomes.ts). The next attempt need not wait for that,
 * but
 *    at most MAX_RECORDING outcomes are unwritten: a crash repeats those and the attempts in progress, nothing more.
 *
 * Delivery is at least once: when the process dies, the lease ends or another node takes over (takeover.ts), and the
 * row is due again. A claim number fences what the first owner writes late. After a failure the rest of the queue of
 * the webhook is released, so that it does not wait here while the webhook backs off.
 */
import type { Log } from '../../access/ctx.ts'
import type { Presence } from '../../platform/database/availability/presence.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import { DeliveryQueues, type QueueLimits } from './delivery-queues.ts'
import type { DeliverySender } from './delivery-sender.ts'
import type { OutcomeWriter } from './outcomes.ts'
import { type ClaimedRow, claimDeliveries, type FinishedAttempt, releaseDeliveries } from './store-queue.ts'
import { WakeLoop } from './wake-loop.ts'

export interface WorkerOptions {
  readonly db: Db
  readonly log: Log
  readonly sender: DeliverySender
  readonly outcomes: OutcomeWriter
  readonly keyId: string
  readonly presence: Presence
  readonly limits: QueueLimits
  readonly pollMs: number
  /** How long a claim is valid: longer than the longest attempt and the wait for it. */
  readonly leaseMs: number
  /** A claim that waited longer is released instead of being attempted. */
  readonly startWithinMs: number
  /** How long attempts in progress may go on during shutdown. */
  readonly drainMs: number
}

const MAX_RECORDING = 50
/** So that many small writes share a claim. */
const CLAIM_INTERVAL_MS = 10

interface Job {
  readonly webhookId: string
  readonly failing: boolean
  readonly row: ClaimedRow
  /** The lease may be too short for an attempt that starts later. */
  readonly startBy: number
}

/** Sends due deliveries until it is disposed. */
export class DeliveryWorker implements AsyncDisposable {
  readonly #options: WorkerOptions
  readonly #queues: DeliveryQueues<Job>
  readonly #claims = new WakeLoop(() => this.#claim(), CLAIM_INTERVAL_MS)
  readonly #poll: NodeJS.Timeout
  /** Webhooks that had due deliveries at the last claim, and may have more of them than were claimed. */
  readonly #backlog = new Set<string>()
  /** Whether the capacity of this node limited the last claim: any attempt that ends makes the next one worthwhile. */
  #saturated = false
  /** Attempts and writes of outcomes in progress. */
  readonly #tasks = new Set<Promise<void>>()
  #recording = 0
  #stopping = false
  readonly #abort = new AbortController()

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#queues = new DeliveryQueues(options.limits)
    this.#poll = setInterval(() => this.wake(), options.pollMs)
    this.wake()
  }

  /** Claims due deliveries now, without waiting for the poll. */
  wake(): void {
    this.#claims.wake()
  }

  async #claim(): Promise<void> {
    const { db, log, keyId, leaseMs, startWithinMs, presence } = this.#options
    const capacity = this.#queues.capacity()
    this.#saturated = capacity.total <= 0
    if (this.#saturated) return
    const startBy = performance.now() + startWithinMs
    try {
      const lease = { keyId, leaseSeconds: leaseMs / 1000, node: presence.node }
      const rows = await claimDeliveries(autocommit(db), capacity, lease)
      this.#saturated = rows.length >= capacity.total
      for (const row of rows) {
        this.#backlog.add(row.webhook_id)
        this.#queues.add({ webhookId: row.webhook_id, failing: row.failing, row, startBy })
      }
      this.#startSends()
    } catch (error) {
      log.warn({ err: error }, 'due deliveries could not be claimed: the next poll tries again')
    }
  }

  #startSends(): void {
    while (!this.#stopping && this.#recording < MAX_RECORDING) {
      const job = this.#queues.startNext()
      if (!job) return
      this.#track(this.#process(job))
    }
  }

  async #process(job: Job): Promise<void> {
    const startedAt = performance.now()
    let failed = true
    try {
      failed = await this.#attempt(job)
      if (failed) await this.#release(this.#queues.drain(job.webhookId))
    } catch (error) {
      this.#options.log.error({ err: error, delivery: job.row.id }, 'a delivery could not be attempted')
    } finally {
      this.#queues.finish(job, { failed, ms: performance.now() - startedAt })
      this.#startSends()
      this.#claimMore(job.webhookId)
    }
  }

  /** Makes one attempt; returns whether it failed. A claim that was not attempted is released, and did not fail. */
  async #attempt(job: Job): Promise<boolean> {
    const isExpired = performance.now() > job.startBy
    const sentResult = isExpired ? undefined : await this.#options.sender.send(job.row, this.#abort.signal)
    if (!sentResult) {
      await this.#release([job])
      return false
    }
    this.#record(sentResult.finished)
    return sentResult.outcome.status !== 'succeeded'
  }

  #record(finishedAttempt: FinishedAttempt): void {
    this.#recording += 1
    const writePromise = this.#options.outcomes.add(finishedAttempt).finally(() => {
      this.#recording -= 1
      this.#startSends()
    })
    this.#track(writePromise)
  }

  #claimMore(webhookId: string): void {
    const wantsMore = this.#backlog.has(webhookId) && this.#queues.wantsMore(webhookId)
    if (wantsMore) this.#backlog.delete(webhookId)
    if (wantsMore || this.#saturated) this.wake()
  }

  async #release(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return
    const claims = jobs.map(({ row }) => ({ webhookId: row.webhook_id, id: row.id, claim: row.claim }))
    try {
      await releaseDeliveries(autocommit(this.#options.db), claims)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'claims could not be released: they end with their lease')
    }
  }

  #track(task: Promise<void>): void {
    const trackedTask = task.finally(() => this.#tasks.delete(trackedTask))
    this.#tasks.add(trackedTask)
  }

  /** Graceful shutdown: releases what is queued, and gives attempts in progress `drainMs` to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    clearInterval(this.#poll)
    await this.#claims.stop()
    await this.#release(this.#queues.drain())
    const deadline = setTimeout(() => {
      this.#options.outcomes.giveUp()
      this.#abort.abort()
    }, this.#options.drainMs)
    // Attempts that end add the writes of their outcomes.
    while (this.#tasks.size > 0) await Promise.all(this.#tasks)
    clearTimeout(deadline)
  }
}
