import { setTimeout as delay } from 'node:timers/promises'
import { AppError, type ErrorCode } from '../errors.ts'
import { createRateLimiter } from '../lib/rate-limiter.ts'
import type { Server } from './server.ts'

/** What a writer of a crowded page is refused with, who often asks again at once. */
const PACED: ReadonlySet<ErrorCode> = new Set(['precondition_failed', 'page_busy'])

/**
 * Answers the refusals of one address at a bounded rate, each within a second. Without it, clients that hammer one page
 * spend the time of all who read and write other pages; with it, they wait. Some refusals in a row are answered at once.
 */
export function throttleConflicts(app: Server): void {
  const pace = createRateLimiter({ burst: 20, everyMs: 10, maxMs: 1_000, maxKeys: 10_000 })
  app.addHook('onError', async (request, _reply, error) => {
    if (!(error instanceof AppError) || !PACED.has(error.code)) return
    const wait = pace(request.url.split('?', 1)[0] ?? '')
    if (wait > 0) await delay(wait)
  })
}
