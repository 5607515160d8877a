import { Lru } from './lru.ts'

export interface RateLimiterOptions {
  /** How many pass at once. */
  readonly burst: number
  /** Then one in so much time. */
  readonly everyMs: number
  /** Nobody waits longer. */
  readonly maxMs: number
  /** How many keys are known at most. */
  readonly maxKeys: number
}

/** How long whoever comes now has to wait, by key: as long as its bucket is full (GCRA), and never longer than `maxMs`. */
export function createRateLimiter(
  { burst, everyMs, maxMs, maxKeys }: RateLimiterOptions,
  clock: () => number = () => performance.now(),
): (key: string) => number {
  /** When the bucket of a key is empty again. */
  const empty = new Lru<string, number>({ maxWeight: maxKeys, weigh: () => 1 })
  const full = burst * everyMs
  return (key) => {
    const now = clock()
    const from = Math.max(now, empty.get(key) ?? now)
    const wait = Math.max(0, from + everyMs - now - full)
    empty.set(key, Math.min(from + everyMs, now + full + maxMs))
    return Math.min(wait, maxMs)
  }
}
