import { within } from '@recto/lib/concurrency/within.ts'
import { Lru } from '@recto/lib/lru.ts'
import { outsideRequests } from '../../platform/database/connections/request-scope.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import type { Sweep } from '../../platform/database/sweeper.ts'
import { type Allowance, type RateLimit, WINDOW_MS } from './limits.ts'
import { deleteOldLeases, type Lease, takeRateLease } from './store-rate-lease.ts'

/** The share of the quota that the database leases: at least `needed` if so much is left. */
export type RequestLease = (ask: {
  readonly key: string
  readonly quota: number
  readonly needed: number
}) => Promise<Lease>

/** How long a request waits for the database; then its node counts locally. */
const ANSWER_MS = 500
/** After a timeout no request waits during this time: the node counts locally. */
const ALONE_MS = 5_000
const MAX_KEYS = 10_000
/** A small batch, so that its locks are held for a short time. */
const SWEPT = 500

interface Budget {
  /** The window in the database; undefined: one that this node counts locally. */
  window: number | undefined
  since: number
  granted: number
  used: number
  left: number
  /** Leases are acquired one at a time. */
  pendingLease: Promise<void> | undefined
}

export function leaseFromDatabase(db: Db): RequestLease {
  return (ask) => outsideRequests(() => takeRateLease(autocommit(db), { ...ask, windowMs: WINDOW_MS }))
}

interface LeaseOptions {
  readonly answerMs?: number | undefined
  readonly clock?: () => number
  /** Called with the reason when the node begins to count locally. */
  readonly onAlone?: (error: unknown) => void
}

/**
 * Distributed rate limit with leased budgets: `quota` requests a minute for each key over all nodes that share a
 * database. A node leases a share of the remaining quota in advance and counts it in memory. If the database does not
 * respond in time, the node counts locally, up to the full quota. The other nodes cannot use an unused lease in that
 * minute: at most 1/32 of the quota per node.
 */
export class LeasedRateLimit implements RateLimit {
  readonly quota: number
  readonly #requestLease: RequestLease
  readonly #answerMs: number
  readonly #clock: () => number
  readonly #onAlone: LeaseOptions['onAlone']
  readonly #budgets = new Lru<string, Budget>({ maxWeight: MAX_KEYS, weigh: () => 1 })
  #aloneUntil = Number.NEGATIVE_INFINITY

  constructor(quota: number, requestLease: RequestLease, options: LeaseOptions = {}) {
    this.quota = quota
    this.#requestLease = requestLease
    this.#answerMs = options.answerMs ?? ANSWER_MS
    this.#clock = options.clock ?? (() => performance.now())
    this.#onAlone = options.onAlone
  }

  async take(key: string, count = 1): Promise<Allowance> {
    for (;;) {
      const budget = this.#getBudget(key)
      const alone = this.#isAlone()
      const missing = budget.used + count - (alone ? this.quota : budget.granted)
      if (missing <= 0) {
        budget.used += count
        if (!alone) this.#leaseAhead(key, budget)
        return this.#answer(budget, true)
      }
      if (alone || missing > budget.left) return this.#answer(budget, false)
      await this.#more(key, budget, missing)
    }
  }

  #isAlone(): boolean {
    return this.#clock() < this.#aloneUntil
  }

  #getBudget(key: string): Budget {
    const budget = this.#budgets.get(key)
    if (budget && this.#clock() - budget.since < WINDOW_MS) return budget
    const createdBudget: Budget = {
      window: undefined,
      since: this.#clock(),
      granted: 0,
      used: 0,
      left: this.quota,
      pendingLease: undefined,
    }
    this.#budgets.set(key, createdBudget)
    return createdBudget
  }

  #leaseAhead(key: string, budget: Budget): void {
    const ahead = Math.floor(Math.min(this.quota / 32, budget.left / 4))
    if (budget.granted - budget.used < ahead / 2) void this.#more(key, budget, 0)
  }

  /** One lease for all waiting requests. */
  #more(key: string, budget: Budget, neededTokens: number): Promise<void> {
    budget.pendingLease ??= this.#lease(key, budget, neededTokens)
    return budget.pendingLease
  }

  async #lease(key: string, budget: Budget, neededTokens: number): Promise<void> {
    const sentAt = this.#clock()
    try {
      const { granted, left, window, ageMs } = await within(
        this.#answerMs,
        this.#requestLease({ key, quota: this.quota, needed: neededTokens }),
        () => new Error('the database does not answer'),
      )
      // Requests that were counted locally until now count in the window.
      budget.granted = window === budget.window ? budget.granted + granted : granted
      if (budget.window !== undefined && window !== budget.window) budget.used = 0
      budget.window = window
      budget.since = sentAt - ageMs
      budget.left = left
    } catch (error) {
      // Counted in memory meanwhile, with the limit of one node.
      if (!this.#isAlone()) this.#onAlone?.(error)
      this.#aloneUntil = this.#clock() + ALONE_MS
    } finally {
      budget.pendingLease = undefined
    }
  }

  #answer(budget: Budget, allowed: boolean): Allowance {
    const resetSeconds = Math.max(1, Math.ceil((WINDOW_MS - (this.#clock() - budget.since)) / 1000))
    const total = this.#isAlone() ? this.quota : budget.left + budget.granted
    return { allowed, remaining: Math.max(0, total - budget.used), resetSeconds }
  }
}

/** Deletes unused keys. */
export const rateLeaseSweep: Sweep = { name: 'rate lease sweep', batch: (db) => deleteOldLeases(db, SWEPT) }
