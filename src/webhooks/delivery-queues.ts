/** A claimed delivery, as far as the queues need to know it. */
export interface QueuedDelivery {
  readonly webhookId: string
  /** Whether the last attempts of its webhook failed. */
  readonly failing: boolean
}

export interface QueueLimits {
  /** Concurrent attempts, in all and of one webhook. */
  readonly total: number
  readonly perWebhook: number
  /** The same for failing webhooks, so that they never take the capacity of the others. */
  readonly failingTotal: number
  readonly failingPerWebhook: number
  /** How many may be queued (prefetched) besides the attempts in progress, in all and of one webhook. */
  readonly queuedTotal: number
  readonly queuedPerWebhook: number
}

export type QueueCapacity = ReturnType<DeliveryQueues<QueuedDelivery>['capacity']>

interface WebhookQueue<D> {
  readonly queued: D[]
  running: number
  failing: boolean
  /** Moving average of the duration of an attempt; absent before the first. */
  meanMs: number | undefined
}

/** A webhook may have as many deliveries queued as it takes in this time. */
const PREFETCH_MS = 500
const MAX_IDLE_QUEUES = 1000
/** Weight of the latest attempt in the moving average. */
const SMOOTHING = 0.2

/**
 * Bulkheads (Nygard, Release It!): a queue and a concurrency limit for each webhook, so that none waits for a slow or dead
 * one. Queues are served round-robin.
 */
export class DeliveryQueues<D extends QueuedDelivery> {
  readonly #limits: QueueLimits
  /** In the order in which they are served (a Map keeps the order of insertion): the last served is the last. */
  readonly #queues = new Map<string, WebhookQueue<D>>()
  #running = 0
  #failingRunning = 0
  #queued = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get queued(): number {
    return this.#queued
  }

  /** Queues a claimed delivery. */
  add(delivery: D): void {
    const queue = this.#queueOf(delivery.webhookId)
    if (sizeOf(queue) === 0) queue.failing = delivery.failing
    queue.queued.push(delivery)
    this.#queued += 1
  }

  /** Takes the next delivery that may be attempted now, and counts it as running. */
  startNext(): D | undefined {
    if (this.#running >= this.#limits.total || this.#queued === 0) return undefined
    for (const [id, queue] of this.#queues) {
      if (queue.running >= this.#limits.perWebhook) continue
      const delivery = queue.queued.shift()
      if (delivery === undefined) continue
      this.#queued -= 1
      this.#running += 1
      queue.running += 1
      if (delivery.failing) this.#failingRunning += 1
      this.#queues.delete(id)
      this.#queues.set(id, queue)
      return delivery
    }
    return undefined
  }

  /** Ends an attempt of `ms` milliseconds. A failing webhook is not prefetched until an attempt succeeds. */
  finish(delivery: D, attempt: { readonly failed: boolean; readonly ms: number }): void {
    const queue = this.#queueOf(delivery.webhookId)
    this.#running -= 1
    queue.running -= 1
    if (delivery.failing) this.#failingRunning -= 1
    queue.failing = attempt.failed
    queue.meanMs =
      queue.meanMs === undefined ? attempt.ms : queue.meanMs * (1 - SMOOTHING) + attempt.ms * SMOOTHING
    this.#evictIdle()
  }

  /** Removes and returns what is queued for a webhook, or without `webhookId` for all. */
  drain(webhookId?: string): D[] {
    const queues = webhookId === undefined ? [...this.#queues.values()] : [this.#queueOf(webhookId)]
    const drained = queues.flatMap((queue) => queue.queued.splice(0))
    this.#queued -= drained.length
    return drained
  }

  /** Whether at most half of the prefetch of a webhook is left. */
  wantsMore(webhookId: string): boolean {
    const queue = this.#queueOf(webhookId)
    return queue.queued.length <= this.#prefetchOf(queue) / 2
  }

  /** How many deliveries may be claimed now; `perWebhook` of one that is not in `busy`. */
  capacity() {
    const { total, perWebhook, failingTotal, failingPerWebhook, queuedTotal } = this.#limits
    const busy = [...this.#queues]
      .filter(([, queue]) => sizeOf(queue) > 0 || this.#prefetchOf(queue) > 0)
      .map(([id, queue]) => ({
        id,
        capacity: Math.max(0, perWebhook + this.#prefetchOf(queue) - sizeOf(queue)),
        failingCapacity: Math.max(0, failingPerWebhook - sizeOf(queue)),
      }))
    return {
      total: Math.max(0, total + queuedTotal - this.#running - this.#queued),
      failingTotal: Math.max(0, failingTotal - this.#failingRunning),
      perWebhook,
      failingPerWebhook,
      busy,
    }
  }

  #prefetchOf(queue: WebhookQueue<D>): number {
    if (queue.failing || queue.meanMs === undefined) return 0
    const { perWebhook, queuedPerWebhook } = this.#limits
    return Math.min(queuedPerWebhook, Math.floor((perWebhook * PREFETCH_MS) / Math.max(1, queue.meanMs)))
  }

  #queueOf(id: string): WebhookQueue<D> {
    const known = this.#queues.get(id)
    if (known) return known
    const queue: WebhookQueue<D> = { queued: [], running: 0, failing: false, meanMs: undefined }
    this.#queues.set(id, queue)
    return queue
  }

  #evictIdle(): void {
    if (this.#queues.size <= MAX_IDLE_QUEUES) return
    for (const [id, queue] of this.#queues) if (sizeOf(queue) === 0) this.#queues.delete(id)
  }
}

function sizeOf(queue: WebhookQueue<unknown>): number {
  return queue.running + queue.queued.length
}
