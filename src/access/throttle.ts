import { isIPv6 } from 'node:net'
import { AppError } from '../errors.ts'
import { Lru } from '../lib/lru.ts'

/** Slows down who tries credentials: at most so many failures by address in a while. */
export interface Throttle {
  /**
   * Counts an attempt as failed until `succeeded` is called, so that attempts at the same time count too; refuses with
   * `too_many_requests` where the address has failed too often.
   */
  attempt(address: string): void
  /** Takes the attempt back. */
  succeeded(address: string): void
}

export const MAX_FAILURES = 30
export const FAILURE_WINDOW_MS = 5 * 60_000
/** What was seen longest ago is forgotten first: someone with more addresses than this is not stopped by any list. */
const MAX_ADDRESSES = 10_000

interface Failures {
  readonly since: number
  count: number
}

/** A throttle in the memory of this process; `clock` is in milliseconds. */
export function createThrottle(clock: () => number = () => performance.now()): Throttle {
  const seen = new Lru<string, Failures>({ maxWeight: MAX_ADDRESSES, weigh: () => 1 })

  function failuresOf(address: string, now: number): Failures {
    const known = seen.get(address)
    if (known && now - known.since < FAILURE_WINDOW_MS) return known
    const fresh = { since: now, count: 0 }
    seen.set(address, fresh)
    return fresh
  }

  return {
    attempt(address) {
      const now = clock()
      const failures = failuresOf(network(address), now)
      if (failures.count >= MAX_FAILURES) {
        const seconds = Math.max(1, Math.ceil((failures.since + FAILURE_WINDOW_MS - now) / 1000))
        throw new AppError('too_many_requests', 'Too many failed sign-ins came from your address: wait.', {
          headers: { 'Retry-After': String(seconds) },
        })
      }
      failures.count += 1
    },
    succeeded(address) {
      const failures = seen.get(network(address))
      if (failures && failures.count > 0) failures.count -= 1
    },
  }
}

/** Who has one IPv6 address has its whole /64 (RFC 6177), so that counts as one. */
export function network(address: string): string {
  if (!isIPv6(address)) return address
  const [bare = ''] = address.toLowerCase().split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = bare.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
