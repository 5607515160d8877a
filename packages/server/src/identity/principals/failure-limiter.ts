import { isIPv6 } from 'node:net'
import { type AppError, retryLater } from '@recto/contract/errors.ts'
import { Lru } from '@recto/lib/lru.ts'

export type FailureLimiter = ReturnType<typeof createFailureLimiter>

export const MAX_FAILURES = 30
export const FAILURE_WINDOW_MS = 5 * 60_000

export interface FailureLimits {
  readonly maxFailures: number
  readonly windowMs: number
  readonly detail: string
}

const BY_ADDRESS: FailureLimits = {
  maxFailures: MAX_FAILURES,
  windowMs: FAILURE_WINDOW_MS,
  detail: 'Too many failed sign-ins from your address. Try again later.',
}
/** The least recently used address is evicted first. */
const MAX_ADDRESSES = 10_000

interface Failures {
  since: number
  count: number
  pending: number
  readonly waiting: (() => void)[]
}

/** Rate limit for failed authentications, by address or account, in this process; `clock` is in milliseconds. */
export function createFailureLimiter(
  clock: () => number = () => performance.now(),
  { maxFailures, windowMs, detail }: FailureLimits = BY_ADDRESS,
) {
  const failuresByAddress = new Lru<string, Failures>({ maxWeight: MAX_ADDRESSES, weigh: () => 1 })

  function countFailures(address: string): Failures {
    const failures = failuresByAddress.get(address)
    if (!failures) {
      const fresh = { since: clock(), count: 0, pending: 0, waiting: [] }
      failuresByAddress.set(address, fresh)
      return fresh
    }
    if (clock() - failures.since >= windowMs) Object.assign(failures, { since: clock(), count: 0 })
    return failures
  }

  function end(address: string, failures: Failures, count: number): void {
    failures.pending -= 1
    failures.count += count
    // One attempt for each that ends; all of them once the limit is reached or the address was evicted.
    const over = failures.count >= maxFailures || failuresByAddress.get(address) !== failures
    for (const wake of failures.waiting.splice(0, over ? Infinity : 1)) wake()
  }

  return {
    /**
     * Counts an attempt as pending until the result is called with its number of failures, 1 or 0. Waits while the
     * pending attempts could exceed the limit; throws `too_many_requests` once the limit is reached.
     */
    async begin(client: string): Promise<(count: 0 | 1) => void> {
      const address = network(client)
      for (;;) {
        const failures = countFailures(address)
        if (failures.count >= maxFailures) throw tooMany(detail, failures.since + windowMs - clock())
        if (failures.count + failures.pending < maxFailures) {
          failures.pending += 1
          return (count) => end(address, failures, count)
        }
        await new Promise<void>((resolve) => failures.waiting.push(resolve))
      }
    },
  }
}

function tooMany(detail: string, retryMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryMs / 1000))
  return retryLater('too_many_requests', detail, seconds)
}

/** The address to count by: an IPv6 client has a /64 (RFC 6177), so that prefix counts as one address. */
export function network(address: string): string {
  if (!isIPv6(address)) return address
  const [bare = ''] = address.toLowerCase().split('%')
  const mappedAddress = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  if (mappedAddress) return mappedAddress
  const [head = '', tail] = bare.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
