import type { FastifyReply, FastifyRequest } from 'fastify'
import { currentRequest } from '../../database/connections/request-scope.ts'
import { type AppError, retryLater } from '../../errors.ts'
import { ByteSemaphore } from '../../lib/concurrency/byte-semaphore.ts'
import type { Server } from '../server.ts'
import { addSendHook } from '../sync-hook.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is streamed, so that little of it is in memory at a time. Once it is read, the handler calls `reauthenticate`. */
    readonly streamsBody?: true
    /** What the document says of a body in JSON that the handler parses and validates itself. */
    readonly describedBody?: object
  }
}

/** Smaller bodies are admitted without a check: many of them fit. */
const LARGE_BYTES = 64 * 1024

/** Each takes a connection, and the memory of the received part of its body. */
const MAX_WAITING = 100

interface BudgetOptions {
  readonly bytes: number
  readonly waitMs: number
  /** How long requests that are waiting when the service stops continue to wait. */
  readonly closingMs: number
}

/**
 * Back-pressure for large request bodies: a budget of bytes is held until the response is sent. Further requests wait
 * unread for at most `waitMs` and then get 503. Runs after authentication, so that strangers hold no budget.
 */
export function limitLargeBodies(app: Server, options: BudgetOptions): void {
  const budget = new BodyBudget(options)
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, routeOptions } = request
    const chunked = headers['transfer-encoding'] !== undefined
    const bytes = chunked ? (routeOptions.bodyLimit ?? options.bytes) : Number(headers['content-length'] ?? 0)
    if (routeOptions.config.streamsBody || !(bytes > LARGE_BYTES)) return done()
    budget.acquire(request, reply, bytes).then(() => done(), done)
  })
  addSendHook(app, (request) => budget.markSent(request))
  app.addHook('preClose', async () => {
    setTimeout(() => budget.abandonWaiting(), options.closingMs).unref()
  })
}

class BodyBudget {
  readonly #semaphore: ByteSemaphore
  readonly #waitMs: number
  readonly #onSent = new WeakMap<FastifyRequest, () => void>()
  readonly #waiting = new Set<() => void>()

  constructor({ bytes, waitMs }: BudgetOptions) {
    this.#semaphore = new ByteSemaphore(bytes)
    this.#waitMs = waitMs
  }

  /** Takes bytes of the budget until the response is sent and the connection of the request is free again. */
  async acquire(request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING) throw busy()
    const abandoned = new AbortController()
    const abandon = () => abandoned.abort()
    this.#waiting.add(abandon)
    reply.raw.once('close', abandon)
    const timer = setTimeout(abandon, this.#waitMs)
    try {
      const release = await this.#semaphore.acquire(bytes, abandoned.signal)
      // A client that disconnects early frees nothing while its request is still processed.
      const closed = new Promise((resolve) => reply.raw.once('close', resolve))
      const sent = new Promise<void>((resolve) => this.#onSent.set(request, resolve))
      void Promise.all([closed, sent]).then(release)
      // Its wait for the database starts again.
      currentRequest()?.answered()
    } catch (cause) {
      throw busy(cause)
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(abandon)
      reply.raw.off('close', abandon)
    }
  }

  /** The response of a request is being sent. */
  markSent(request: FastifyRequest): void {
    this.#onSent.get(request)?.()
  }

  /** Ends the wait of all requests that have no budget yet. */
  abandonWaiting(): void {
    for (const abandon of this.#waiting) abandon()
  }
}

function busy(cause?: unknown): AppError {
  const detail = 'Too many large pages are being written at once. Nothing was changed.'
  return retryLater('markdown_busy', detail, 2, cause)
}
