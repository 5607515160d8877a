import { AppError } from '../errors.ts'
import type { Server } from '../http/server.ts'
import { Lru } from '../lib/lru.ts'
import { limitKey } from './concurrency.ts'

/** What is left for a key: requests, and seconds until there are all of them again. */
export interface Allowance {
  readonly allowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

export interface RateLimit {
  readonly quota: number
  /** Counts one request of a key. */
  take(key: string): Allowance
}

const WINDOW_MS = 60_000
const MAX_KEYS = 10_000

interface Window {
  readonly since: number
  used: number
}

/** `quota` requests a minute for each key, in the memory of this process; `clock` is in milliseconds. */
export function createRateLimit(quota: number, clock: () => number = () => performance.now()): RateLimit {
  const windows = new Lru<string, Window>({ maxWeight: MAX_KEYS, weigh: () => 1 })
  return {
    quota,
    take(key) {
      const now = clock()
      let window = windows.get(key)
      if (!window || now - window.since >= WINDOW_MS) {
        window = { since: now, used: 0 }
        windows.set(key, window)
      }
      const resetSeconds = Math.max(1, Math.ceil((WINDOW_MS - (now - window.since)) / 1000))
      if (window.used >= quota) return { allowed: false, remaining: 0, resetSeconds }
      window.used += 1
      return { allowed: true, remaining: quota - window.used, resetSeconds }
    },
  }
}

/**
 * Limits every authenticated request, by key, and tells how much is left (draft-ietf-httpapi-ratelimit-headers-11).
 * Goes behind the authentication.
 */
export function limitRequests(app: Server, limit: RateLimit): void {
  const policy = `"default";q=${limit.quota};w=${WINDOW_MS / 1000}`
  app.addHook('onRequest', async (request, reply) => {
    const actor = request.ctx?.actor
    if (!actor) return
    const { allowed, remaining, resetSeconds } = limit.take(limitKey(actor))
    reply.header('RateLimit-Policy', policy)
    reply.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`)
    if (allowed) return
    throw new AppError('too_many_requests', `A key may send ${limit.quota} requests a minute: wait.`, {
      headers: { 'Retry-After': String(resetSeconds) },
    })
  })
}
