import { setTimeout as delay } from 'node:timers/promises'
import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { createRateLimiter } from '@recto/lib/concurrency/rate-limiter.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The errors of writers that contend for one page; such clients often retry immediately. */
const THROTTLED: ReadonlySet<ErrorCode> = new Set(['precondition_failed', 'page_busy'])

/**
 * Tarpit for a contended page: conflict errors of one URL are sent at a limited rate, each with at most a second of
 * delay, so that clients that retry in a tight loop do not slow down all other requests. A short burst is not delayed.
 */
export function throttleConflicts() {
  const getDelay = createRateLimiter({ burst: 20, everyMs: 10, maxMs: 1_000, maxKeys: 10_000 })
  return async ({ url }: FastifyRequest, _reply: FastifyReply, error: Error): Promise<void> => {
    if (!(error instanceof AppError) || !THROTTLED.has(error.code)) return
    const wait = getDelay(url.split('?', 1)[0] ?? '')
    if (wait > 0) await delay(wait)
  }
}
