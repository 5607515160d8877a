import { FairQueue } from '@recto/lib/concurrency/fair-queue.ts'

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

/** What is known of a webhook. */
interface WebhookState {
  failing: boolean
  /** Moving average of the duration of an attempt; absent before the first. */
  meanMs: number | undefined
}

/** A webhook may have as many deliveries queued as it takes in this time. */
const PREFETCH_MS = 500
const MAX_IDLE_WEBHOOKS = 1000
/** Weight of the latest attempt in the moving average. */
const SMOOTHING = 0.2

/** A fair queue of deliveries by webhook, so that none waits for a slow one; and how many may be claimed for it. */
export class DeliveryQueues<D extends QueuedDelivery> {
  readonly #limits: QueueLimits
  readonly #queue: FairQueue<D>
  readonly #webhooks = new Map<string, WebhookState>()
  #failingRunning = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
    this.#queue = new FairQueue({ total: limits.total, perKey: limits.perWebhook })
  }

  get running(): number {
    return this.#queue.running
  }

  get queued(): number {
    return this.#queue.queued
  }

  /** Queues a claimed delivery. */
  add(delivery: D): void {
    const { webhookId } = delivery
    if (this.#size(webhookId) === 0) this.#state(webhookId).failing = delivery.failing
    this.#queue.add(webhookId, delivery)
  }

  /** Takes the next delivery that may be attempted now, and counts it as running. */
  startNext(): D | undefined {
    const delivery = this.#queue.startNext()
    if (delivery?.failing) this.#failingRunning += 1
    return delivery
  }

  /** Ends an attempt of `ms` milliseconds. A failing webhook is not prefetched until an attempt succeeds. */
  finish(delivery: D, attempt: { readonly failed: boolean; readonly ms: number }): void {
    const webhook = this.#state(delivery.webhookId)
    this.#queue.finish(delivery.webhookId)
    if (delivery.failing) this.#failingRunning -= 1
    webhook.failing = attempt.failed
    webhook.meanMs =
      webhook.meanMs === undefined ? attempt.ms : webhook.meanMs * (1 - SMOOTHING) + attempt.ms * SMOOTHING
    this.#evictIdle()
  }

  /** Removes and returns what is queued for a webhook, or without `webhookId` for all. */
  drain(webhookId?: string): D[] {
    return this.#queue.drain(webhookId)
  }

  /** Whether at most half of the prefetch of a webhook is left. */
  wantsMore(webhookId: string): boolean {
    return this.#queue.countQueued(webhookId) <= this.#limitPrefetch(this.#state(webhookId)) / 2
  }

  /** How many deliveries may be claimed now; `perWebhook` of one that is not in `busy`. */
  capacity() {
    const { total, perWebhook, failingTotal, failingPerWebhook, queuedTotal } = this.#limits
    const busy = [...this.#webhooks]
      .filter(([id, webhook]) => this.#size(id) > 0 || this.#limitPrefetch(webhook) > 0)
      .map(([id, webhook]) => ({
        id,
        capacity: Math.max(0, perWebhook + this.#limitPrefetch(webhook) - this.#size(id)),
        failingCapacity: Math.max(0, failingPerWebhook - this.#size(id)),
      }))
    return {
      total: Math.max(0, total + queuedTotal - this.running - this.queued),
      failingTotal: Math.max(0, failingTotal - this.#failingRunning),
      perWebhook,
      failingPerWebhook,
      busy,
    }
  }

  #limitPrefetch({ failing, meanMs }: WebhookState): number {
    if (failing || meanMs === undefined) return 0
    const { perWebhook, queuedPerWebhook } = this.#limits
    return Math.min(queuedPerWebhook, Math.floor((perWebhook * PREFETCH_MS) / Math.max(1, meanMs)))
  }

  #state(id: string): WebhookState {
    const webhookState = this.#webhooks.get(id)
    if (webhookState) return webhookState
    const state: WebhookState = { failing: false, meanMs: undefined }
    this.#webhooks.set(id, state)
    return state
  }

  #size(id: string): number {
    return this.#queue.countRunning(id) + this.#queue.countQueued(id)
  }

  #evictIdle(): void {
    if (this.#webhooks.size <= MAX_IDLE_WEBHOOKS) return
    for (const id of this.#webhooks.keys()) if (this.#size(id) === 0) this.#webhooks.delete(id)
  }
}
