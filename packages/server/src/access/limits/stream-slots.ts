import { retryLater } from '@recto/contract/errors.ts'
import { KeyedSemaphore } from '@recto/lib/concurrency/keyed-semaphore.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onClosed } from '../../platform/http/request-scope.ts'
import { limitKey } from './concurrency.ts'

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
