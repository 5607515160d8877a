import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { Server } from '../../http/server.ts'
import { KeyedSemaphore } from '../../lib/concurrency/keyed-semaphore.ts'
import type { Caller } from '../caller.ts'

/** The key of limits: the API key or the connected app, or the principal if there is neither. */
export function limitKey({ keyId, app, id }: Caller): string {
  return keyId ?? app?.connectionId ?? id
}

/**
 * Limits the concurrent requests of one key. Register it after the authentication. A request counts until it is
 * answered and its connection is free: a client that disconnects early gains nothing while the work goes on.
 */
export function limitConcurrency(app: Server, max: number): void {
  const semaphore = new KeyedSemaphore({ perKey: max })
  const answered = new WeakMap<FastifyRequest, () => void>()
  app.addHook('onRequest', async (request, reply) => {
    const actor = request.ctx?.actor
    if (!actor) return
    const release = semaphore.tryAcquire(limitKey(actor))
    if (typeof release === 'string') {
      throw new AppError('too_many_requests', `A key may have ${max} requests open at once: wait for one.`, {
        headers: { 'Retry-After': '1' },
      })
    }
    const closed = new Promise((resolve) => reply.raw.once('close', resolve))
    const sent = new Promise<void>((resolve) => answered.set(request, resolve))
    Promise.all([closed, sent]).then(release)
  })
  app.addHook('onSend', async (request) => answered.get(request)?.())
}
