import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, retryLater } from '../../../../contract/src/errors.ts'
import { KeyedSemaphore } from '../../../../lib/src/concurrency/keyed-semaphore.ts'
import { currentRequest } from '../../platform/database/connections/request-scope.ts'
import { whileConnected } from '../../platform/http/on-closed.ts'
import { onCompleted } from '../../platform/http/on-completed.ts'
import type { Server } from '../../platform/http/server.ts'
import type { Caller } from '../caller.ts'

/** How many further requests of a key wait for their turn. */
const MAX_WAITING = 200
const WAIT_MS = 10_000

/** The key of limits: the API key or the connected app, or the principal if there is neither. */
export function limitKey({ keyId, app, id }: Caller): string {
  return keyId ?? app?.connectionId ?? id
}

/**
 * Limits the concurrent requests of one key; further ones wait for their turn. Register it after the authentication.
 * A request counts until it
 * is answered and its connection is free: a client that disconnects early gains nothing while the work continues.
 */
export function limitConcurrency(
  app: Server,
  max: number,
  { maxWaiting = MAX_WAITING, waitMs = WAIT_MS } = {},
): Pick<KeyedSemaphore, 'held' | 'waiting'> {
  const semaphore = new KeyedSemaphore({ perKey: max })
  const rejected = (cause?: unknown): AppError => {
    const detail = `A key may have ${max} requests open at once, and ${maxWaiting} that wait at most ${waitMs / 1000} seconds: wait for one.`
    return retryLater('too_many_requests', detail, 1, cause)
  }
  const waitForTurn = async (key: string, request: FastifyRequest, reply: FastifyReply) => {
    if (semaphore.countWaiting(key) >= maxWaiting) throw rejected()
    const began = performance.now()
    const turn = whileConnected(reply, waitMs, (signal) => semaphore.acquire(key, signal))
    onCompleted(request, reply, await turn.catch((cause: unknown) => Promise.reject(rejected(cause))))
    // It shares one limit with the waits for the database.
    currentRequest()?.waited(began)
  }
  app.addHook('onRequest', (request, reply, done) => {
    const actor = request.ctx?.actor
    if (!actor) return done()
    const key = limitKey(actor)
    const release = semaphore.tryAcquire(key)
    if (typeof release === 'string') return void waitForTurn(key, request, reply).then(() => done(), done)
    onCompleted(request, reply, release)
    done()
  })
  return semaphore
}
