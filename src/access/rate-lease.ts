import type { Db } from '../database/database.ts'
import { outsideRequests } from '../database/request-scope.ts'
import { startSweeper } from '../database/sweeper.ts'
import { autocommit } from '../database/transaction.ts'
import { Lru } from '../lib/lru.ts'
import { within } from '../lib/within.ts'
import type { Runtime } from './ctx.ts'
import { type Allowance, type RateLimit, WINDOW_MS } from './rate-limit.ts'
import { deleteOldLeases, type Lease, takeRateLease } from './store-rate-lease.ts'

/** What the database says of a share of the quota: at least `needed` where there is so much left. */
export type AskLease = (ask: {
  readonly key: string
  readonly quota: number
  readonly needed: number
}) => Promise<Lease>

/** So long a request waits for the database; then its node counts alone. */
const ANSWER_MS = 500
/** After that nobody waits for so long: the node counts alone. */
const ALONE_MS = 5_000
const MAX_KEYS = 10_000
/** Some hundred rows: nobody waits for what they lock. */
const SWEPT = 500

interface Budget {
  /** Of the database; undefined: of a window that this node counts alone. */
  window: number | undefined
  since: number
  granted: number
  used: number
  left: number
  /** One at a time asks for more. */
  asking: Promise<void> | undefined
}

export function askDatabase(db: Db): AskLease {
  return (ask) => outsideRequests(() => takeRateLease(autocommit(db), { ...ask, windowMs: WINDOW_MS }))
}

/**
 * `quota` requests a minute for each key over all nodes that share a database, by leased budgets: a node leases a share of
 * what is left, ahead of its use, and counts that in memory. Unless the database answers in time, the node counts alone,
 * up to the whole quota. What is leased and not used is lost to the others for that minute: 1/32 of the quota for each node
 * at most.
 */
export function createLeasedRateLimit(
  quota: number,
  ask: AskLease,
  options: { readonly answerMs?: number | undefined; readonly clock?: () => number } = {},
): RateLimit {
  const { answerMs = ANSWER_MS, clock = () => performance.now() } = options
  const budgets = new Lru<string, Budget>({ maxWeight: MAX_KEYS, weigh: () => 1 })
  let aloneUntil = Number.NEGATIVE_INFINITY

  const isAlone = () => clock() < aloneUntil

  function budgetOf(key: string): Budget {
    const found = budgets.get(key)
    if (found && clock() - found.since < WINDOW_MS) return found
    const begun: Budget = {
      window: undefined,
      since: clock(),
      granted: 0,
      used: 0,
      left: quota,
      asking: undefined,
    }
    budgets.set(key, begun)
    return begun
  }

  async function lease(key: string, budget: Budget, needed: number): Promise<void> {
    const sent = clock()
    try {
      const { granted, left, window, ageMs } = await within(
        answerMs,
        ask({ key, quota, needed }),
        () => new Error('the database does not answer'),
      )
      // What was counted alone until now counts as the window's.
      budget.granted = window === budget.window ? budget.granted + granted : granted
      if (budget.window !== undefined && window !== budget.window) budget.used = 0
      budget.window = window
      budget.since = sent - ageMs
      budget.left = left
    } catch {
      // Counted in memory meanwhile, as the limit of one node.
      aloneUntil = clock() + ALONE_MS
    } finally {
      budget.asking = undefined
    }
  }

  /** Asks once for all who wait. */
  function more(key: string, budget: Budget, needed: number): Promise<void> {
    budget.asking ??= lease(key, budget, needed)
    return budget.asking
  }

  function answer(budget: Budget, allowed: boolean): Allowance {
    const resetSeconds = Math.max(1, Math.ceil((WINDOW_MS - (clock() - budget.since)) / 1000))
    const total = isAlone() ? quota : budget.left + budget.granted
    return { allowed, remaining: Math.max(0, total - budget.used), resetSeconds }
  }

  return {
    quota,
    async take(key, count = 1) {
      for (;;) {
        const budget = budgetOf(key)
        const alone = isAlone()
        const missing = budget.used + count - (alone ? quota : budget.granted)
        if (missing <= 0) {
          budget.used += count
          const ahead = Math.floor(Math.min(quota / 32, budget.left / 4))
          if (!alone && budget.granted - budget.used < ahead / 2) void more(key, budget, 0)
          return answer(budget, true)
        }
        if (alone || missing > budget.left) return answer(budget, false)
        await more(key, budget, missing)
      }
    },
  }
}

/** Forgets keys that are no longer used, on one node at a time, until it is disposed. */
export function startRateLeaseSweep({ db, log }: Pick<Runtime, 'db' | 'log'>): AsyncDisposable {
  return startSweeper({
    db,
    log,
    name: 'rate lease sweep',
    batch: () => deleteOldLeases(autocommit(db), SWEPT),
  })
}
