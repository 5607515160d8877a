import type { FastifyRequest } from 'fastify'
import { retryLater } from '../../errors.ts'
import type { Server } from '../../http/server.ts'
import { addSendHook, addSyncHook } from '../../http/sync-hook.ts'
import { KeyedSemaphore } from '../../lib/concurrency/keyed-semaphore.ts'
import type { Caller } from '../caller.ts'

/** The key of limits: the API key or the connected app, or the principal if there is neither. */
export function limitKey({ keyId, app, id }: Caller): string {
  return keyId ?? app?.connectionId ?? id
}

/**
 * Limits the concurrent requests of one key. Register it after the authentication. A request counts until it is
 * answered and its connection is free: a client that disconnects early gains nothing while the work continues.
 */
export function limitConcurrency(app: Server, max: number): void {
  const semaphore = new KeyedSemaphore({ perKey: max })
  const answered = new WeakMap<FastifyRequest, () => void>()
  addSyncHook(app, 'onRequest', (request, reply) => {
    const actor = request.ctx?.actor
    if (!actor) return
    const release = semaphore.tryAcquire(limitKey(actor))
    if (typeof release === 'string') {
      throw retryLater('too_many_requests', `A key may have ${max} requests open at once: wait for one.`, 1)
    }
    let isAnswered = false
    let isClosed = false
    answered.set(request, () => {
      isAnswered = true
      if (isClosed) release()
    })
    reply.raw.once('close', () => {
      isClosed = true
      if (isAnswered) release()
    })
  })
  addSendHook(app, (request) => answered.get(request)?.())
}
