/** What lanes need to know of a delivery that this node has claimed. */
export interface QueuedDelivery {
  readonly webhookId: string
  /** Whether its webhook had nothing but failures of late. */
  readonly failing: boolean
}

export interface QueueLimits {
  /** Attempts that run at once, in all and of one webhook. */
  readonly total: number
  readonly perWebhook: number
  /** The same for webhooks that fail: they never take the places of the others. */
  readonly failingTotal: number
  readonly failingPerWebhook: number
  /** How many may be claimed beyond the attempts that run, in all and of one webhook. */
  readonly readyTotal: number
  readonly readyPerWebhook: number
}

/** How much may be claimed: by webhook for those that are busy, and for any other. */
export interface QueueCapacity {
  readonly busy: readonly { readonly id: string; readonly room: number; readonly failingRoom: number }[]
  readonly room: number
  readonly failingRoom: number
  readonly total: number
  readonly failingTotal: number
}

interface Lane<C> {
  readonly ready: C[]
  running: number
  failing: boolean
  /** Running mean of how long an attempt takes; absent before the first. */
  meanMs: number | undefined
}

/** A webhook is claimed ahead as much as it will take in this time. */
const AHEAD_MS = 500
const MAX_IDLE_LANES = 1000

/** The bulkheads: one lane for each webhook, so that none waits behind a slow or dead one. Lanes take turns. */
export class DeliveryQueues<C extends QueuedDelivery> {
  readonly #limits: QueueLimits
  /** A Map keeps the order of insertion: the lane that was served goes to the end. */
  readonly #lanes = new Map<string, Lane<C>>()
  #running = 0
  #failingRunning = 0
  #ready = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get ready(): number {
    return this.#ready
  }

  /** Queues a claimed delivery in the lane of its webhook. */
  add(claim: C): void {
    const lane = this.#lane(claim.webhookId)
    if (lane.running === 0 && lane.ready.length === 0) lane.failing = claim.failing
    lane.ready.push(claim)
    this.#ready += 1
  }

  /** Takes the next delivery that may run now, and counts it as running. */
  next(): C | undefined {
    if (this.#running >= this.#limits.total || this.#ready === 0) return undefined
    for (const [id, lane] of this.#lanes) {
      if (lane.ready.length === 0 || !this.#mayRun(lane)) continue
      const claim = lane.ready.shift()
      if (claim === undefined) continue
      this.#ready -= 1
      this.#running += 1
      lane.running += 1
      if (claim.failing) this.#failingRunning += 1
      this.#lanes.delete(id)
      this.#lanes.set(id, lane)
      return claim
    }
    return undefined
  }

  /** An attempt ended; `ms` is how long it took. After a failure the lane narrows, after a success it widens again. */
  done(claim: C, outcome: { readonly failed: boolean; readonly ms: number }): void {
    const lane = this.#lane(claim.webhookId)
    this.#running -= 1
    lane.running -= 1
    if (claim.failing) this.#failingRunning -= 1
    lane.failing = outcome.failed
    lane.meanMs = lane.meanMs === undefined ? outcome.ms : lane.meanMs * 0.8 + outcome.ms * 0.2
    this.#forgetIdle()
  }

  /** Takes what waits in a lane, to be given back; all lanes without `webhookId`. */
  drain(webhookId?: string): C[] {
    const lanes = webhookId === undefined ? [...this.#lanes.values()] : [this.#lane(webhookId)]
    const drained = lanes.flatMap((lane) => lane.ready.splice(0))
    this.#ready -= drained.length
    return drained
  }

  /** Whether the webhook could soon take more than is claimed for it. */
  wants(webhookId: string): boolean {
    const lane = this.#lane(webhookId)
    return lane.ready.length <= this.#ahead(lane) / 2
  }

  /** How much may be claimed now. */
  capacity(): QueueCapacity {
    const { total, perWebhook, failingTotal, failingPerWebhook, readyTotal } = this.#limits
    const held = this.#running + this.#ready
    const busy = [...this.#lanes]
      .filter(([, lane]) => lane.running + lane.ready.length > 0 || this.#ahead(lane) > 0)
      .map(([id, lane]) => {
        const taken = lane.running + lane.ready.length
        return {
          id,
          room: Math.max(0, perWebhook + this.#ahead(lane) - taken),
          failingRoom: Math.max(0, failingPerWebhook - taken),
        }
      })
    return {
      busy,
      room: perWebhook,
      failingRoom: failingPerWebhook,
      total: Math.max(0, total + readyTotal - held),
      failingTotal: Math.max(0, failingTotal - this.#failingRunning),
    }
  }

  #mayRun(lane: Lane<C>): boolean {
    return lane.running < this.#limits.perWebhook
  }

  #ahead(lane: Lane<C>): number {
    if (lane.failing || lane.meanMs === undefined) return 0
    const { perWebhook, readyPerWebhook } = this.#limits
    return Math.min(readyPerWebhook, Math.floor((perWebhook * AHEAD_MS) / Math.max(1, lane.meanMs)))
  }

  #lane(id: string): Lane<C> {
    const known = this.#lanes.get(id)
    if (known) return known
    const lane: Lane<C> = { ready: [], running: 0, failing: false, meanMs: undefined }
    this.#lanes.set(id, lane)
    return lane
  }

  #forgetIdle(): void {
    if (this.#lanes.size <= MAX_IDLE_LANES) return
    for (const [id, lane] of this.#lanes) {
      if (lane.running + lane.ready.length === 0) this.#lanes.delete(id)
    }
  }
}
