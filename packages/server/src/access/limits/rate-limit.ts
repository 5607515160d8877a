import { retryLater } from '@recto/contract/errors.ts'
import { Lru } from '@recto/lib/lru.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitKey } from './concurrency.ts'

/** The remaining quota: requests, and seconds until it is full again. */
export interface Allowance {
  readonly allowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
}

export interface RateLimit {
  readonly quota: number
  /** Counts requests of a key, one by default: all of them, or none if they are too many. */
  take(key: string, count?: number): Allowance | Promise<Allowance>
}

export const WINDOW_MS = 60_000
const MAX_KEYS = 10_000

/** `quota` requests a minute for each key, in the memory of this process; `clock` is in milliseconds. */
export function createRateLimit(
  quota: number,
  clock: () => number = () => performance.now(),
): RateLimit & { take(key: string, count?: number): Allowance } {
  const windows = new Lru<string, { readonly since: number; used: number }>({ maxWeight: MAX_KEYS, weigh: () => 1 })
  return {
    quota,
    take(key, count = 1) {
      const now = clock()
      let window = windows.get(key)
      if (!window || now - window.since >= WINDOW_MS) {
        window = { since: now, used: 0 }
        windows.set(key, window)
      }
      const resetSeconds = Math.max(1, Math.ceil((WINDOW_MS - (now - window.since)) / 1000))
      if (window.used + count > quota) {
        return { allowed: false, remaining: quota - window.used, resetSeconds }
      }
      window.used += count
      return { allowed: true, remaining: quota - window.used, resetSeconds }
    },
  }
}

/**
 * Limits requests by key, those of callers without an account by address, and sets the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-11). Without a limit requests are not counted.
 */
export function limitRequests(limits: { readonly keys: RateLimit | undefined; readonly visitors: RateLimit }) {
  const count = async (request: FastifyRequest, reply: FastifyReply, requests: number) => {
    const actor = request.ctx?.actor
    const limit = actor?.visitor === undefined ? limits.keys : limits.visitors
    if (!actor || !limit) return
    const policy = `"default";q=${limit.quota};w=${WINDOW_MS / 1000}`
    const { allowed, remaining, resetSeconds } = await limit.take(limitKey(actor), requests)
    reply.header('RateLimit-Policy', policy)
    reply.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`)
    if (allowed) return
    const who = actor.visitor === undefined ? 'A key' : 'An address without a key'
    const detail = `${who} may send ${limit.quota} requests a minute: wait.`
    throw retryLater('too_many_requests', detail, resetSeconds)
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await count(request, reply, 1)
    request.countFurther = (requests) => count(request, reply, requests)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts the further calls of a request, such as those of a batch; absent without a limit. */
    countFurther?: (requests: number) => Promise<void>
  }
}
