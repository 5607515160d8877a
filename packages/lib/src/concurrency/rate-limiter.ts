import { Lru } from '../lru.ts'

export interface RateLimiterOptions {
  /** The burst: calls in a row without a delay. */
  readonly burst: number
  /** The interval between calls after that. */
  readonly everyMs: number
  /** The longest delay. */
  readonly maxMs: number
  /** The maximum of tracked keys. */
  readonly maxKeys: number
}

/** Rate limiter by GCRA (generic cell rate algorithm): the delay of a call with a key, in milliseconds. */
export function createRateLimiter(
  { burst, everyMs, maxMs, maxKeys }: RateLimiterOptions,
  clock: () => number = () => performance.now(),
): (key: string) => number {
  /** The theoretical arrival time of each key's next call. */
  const arrivals = new Lru<string, number>({ maxWeight: maxKeys, weigh: () => 1 })
  const tolerance = burst * everyMs
  return (key) => {
    const now = clock()
    const from = Math.max(now, arrivals.get(key) ?? now)
    const wait = Math.max(0, from + everyMs - now - tolerance)
    arrivals.set(key, Math.min(from + everyMs, now + tolerance + maxMs))
    return Math.min(wait, maxMs)
  }
}
