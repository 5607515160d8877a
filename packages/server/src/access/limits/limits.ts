import { type AppError, retryLater } from '@recto/contract/errors.ts'
import { KeyedSemaphore } from '@recto/lib/concurrency/fair-queue.ts'
import { Lru } from '@recto/lib/lru.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { currentRequest } from '../../platform/database/connections/request-scope.ts'
import { onClosed, onCompleted, whileConnected } from '../../platform/http/request-scope.ts'
import type { Caller } from '../caller.ts'

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
      if (window.used + count > quota) return { allowed: false, remaining: quota - window.used, resetSeconds }
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

/** How many further requests of a key wait for their turn. */
const MAX_WAITING = 200
const WAIT_MS = 10_000

/** The key of limits: the API key or the connected app, or the principal or address if there is neither. */
function limitKey({ keyId, app, id, visitor }: Caller): string {
  return keyId ?? app?.connectionId ?? visitor ?? id
}

/**
 * Limits the concurrent requests of one key; further ones wait for their turn. A request counts until it is answered
 * and its connection is free: a client that disconnects early gains nothing while the work continues.
 */
export function limitConcurrency(max: number) {
  const semaphore = new KeyedSemaphore({ perKey: max })
  const rejectWith = (cause?: unknown): AppError => {
    const detail =
      `A key may have ${max} requests open at once, and ${MAX_WAITING} that wait at most ` +
      `${WAIT_MS / 1000} seconds: wait for one.`
    return retryLater('too_many_requests', detail, 1, cause)
  }
  const waitForTurn = async (key: string, request: FastifyRequest, reply: FastifyReply) => {
    if (semaphore.countWaiting(key) >= MAX_WAITING) throw rejectWith()
    const began = performance.now()
    const turn = whileConnected(reply, WAIT_MS, (signal) => semaphore.acquire(key, signal))
    onCompleted(request, reply, await turn.catch((cause: unknown) => Promise.reject(rejectWith(cause))))
    // It shares one limit with the waits for the database.
    currentRequest()?.waited(began)
  }
  const enter = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const actor = request.ctx?.actor
    if (!actor) return undefined
    const key = limitKey(actor)
    const release = semaphore.tryAcquire(key)
    if (typeof release === 'string') return waitForTurn(key, request, reply)
    onCompleted(request, reply, release)
    return undefined
  }
  return { enter, semaphore }
}

export type StreamSlots = ReturnType<typeof createStreamSlots>

/** Limits the open streams and long polls: per key, and on this node. */
export function createStreamSlots(limits: { readonly perKey: number; readonly total: number }) {
  const semaphore = new KeyedSemaphore(limits)
  return {
    get held(): number {
      return semaphore.held
    },
    /** Counts a response until its connection is free; throws `too_many_requests` if there are too many. */
    take({ ctx }: FastifyRequest, reply: FastifyReply): void {
      const release = semaphore.tryAcquire(limitKey(ctx.actor))
      if (typeof release !== 'string') {
        onClosed(reply, release)
        return
      }
      const detail =
        release === 'key'
          ? `A key may have ${limits.perKey} streams and long polls open at once: close one.`
          : 'This node serves as many streams and long polls as it can: try again later.'
      throw retryLater('too_many_requests', detail, 5)
    },
  }
}
