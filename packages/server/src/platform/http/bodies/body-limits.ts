import { Readable } from 'node:stream'
import { type AppError, retryLater } from '@recto/contract/errors.ts'
import { ByteBudget, type Share } from '@recto/lib/concurrency/byte-budget.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AWAY_BUDGET_MS } from '../../database/connections/request-scope.ts'
import { onClosed, onCompleted, whileConnected } from '../request-scope.ts'
import type { Server } from '../server.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is streamed, so that little of it is in memory. Once it is read, the handler calls `reauthenticate`. */
    readonly streamsBody?: true
    /** What the document says of a body in JSON that the handler parses and validates itself. */
    readonly describedBody?: object
  }
}

/** So much of each body is admitted without a check: many fit. */
const FREE_BYTES = 64 * 1024

/** Each takes a connection, and the memory of the received part of its body. */
const MAX_WAITING = 100

interface BudgetOptions {
  readonly bytes: number
  /** The longest wait of a request; waits for the database count, too. */
  readonly waitMs: number
  /** How long requests that are waiting when the service stops continue to wait. */
  readonly closingMs: number
}

/**
 * Back-pressure for large request bodies: what has arrived of a body takes its share of a budget of bytes until the
 * response is sent, whatever length was declared. Where there is no more, the rest waits unread, and after the time
 * limit the request gets 503.
 */
export function limitLargeBodies(app: Server, options: BudgetOptions) {
  const budget = new BodyBudget(options)
  app.addHook('preClose', async () => {
    setTimeout(() => budget.abandonWaiting(), options.closingMs).unref()
  })
  const meter = (request: FastifyRequest, reply: FastifyReply, body: Readable): Readable | undefined => {
    const { headers, routeOptions } = request
    const mayBeLarge = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > FREE_BYTES
    if (routeOptions.config.streamsBody || !mayBeLarge) return undefined
    const meteredBody = Readable.from(budget.meter(request, reply, body), { objectMode: false })
    // After a rejection nobody listens any more, and a client that leaves then would end the process.
    meteredBody.on('error', () => {})
    return meteredBody
  }
  return { meter, bytes: budget.bytes }
}

class BodyBudget {
  readonly bytes: ByteBudget
  readonly #waitMs: number
  readonly #closing = new AbortController()

  constructor({ bytes, waitMs }: BudgetOptions) {
    this.bytes = new ByteBudget(bytes)
    this.#waitMs = waitMs
  }

  /** The bytes of a body, each chunk as soon as there is budget for it. */
  async *meter(request: FastifyRequest, reply: FastifyReply, body: Readable): AsyncGenerator<Buffer> {
    let receivedBytes = 0
    let share: Share | undefined
    // Destroying a request would close its connection before the response is sent.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      // The rest of a rejected body is read and discarded.
      if (reply.sent) continue
      receivedBytes += chunk.length
      if (receivedBytes > FREE_BYTES) {
        share ??= this.#open(request, reply)
        await this.#grow(share, receivedBytes - FREE_BYTES, request, reply)
      }
      yield chunk
    }
  }

  /** Ends the wait of all requests. */
  abandonWaiting(): void {
    this.#closing.abort()
  }

  #open(request: FastifyRequest, reply: FastifyReply): Share {
    const share = this.bytes.open(request.scope?.principalId ?? '')
    onCompleted(request, reply, () => this.bytes.close(share))
    return share
  }

  async #grow(share: Share, bytes: number, { scope }: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.bytes.waiting >= MAX_WAITING) throw busy()
    const began = performance.now()
    const waitMs = Math.min(this.#waitMs, AWAY_BUDGET_MS - (scope?.waitedMs ?? 0))
    try {
      await whileConnected(reply, waitMs, (signal) =>
        this.bytes.grow(share, bytes, AbortSignal.any([signal, this.#closing.signal])),
      )
    } catch (cause) {
      throw busy(cause)
    } finally {
      scope?.waited(began)
    }
  }
}

function busy(cause?: unknown): AppError {
  const detail = 'Too many large pages are being written at once. Nothing was changed.'
  return retryLater('markdown_busy', detail, 2, cause)
}

/** A request whose body is arriving. */
export interface ArrivingBody {
  /** Whether the body is streamed: then its time limit restarts with every received byte. */
  readonly streamed: boolean
  /** Bytes received on its connection. */
  bytesRead(): number
  isComplete(): boolean
  /** Whether received bytes wait to be read by this service. */
  isWaiting(): boolean
  expire(): void
}

interface Watched {
  readonly body: ArrivingBody
  since: number
  bytesRead: number
}

/**
 * Time limits of request bodies: one that is parsed must arrive before the limit, a streamed one may take as long as it
 * makes progress. `requestTimeout` of Node supports only the former.
 */
export class BodyDeadlines {
  readonly #timeoutMs: number
  readonly #watched = new Map<object, Watched>()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Watches the body of a request until `remove`. */
  add(request: object, body: ArrivingBody, now: number): void {
    this.#watched.set(request, { body, since: now, bytesRead: body.bytesRead() })
  }

  remove(request: object): void {
    this.#watched.delete(request)
  }

  /** Ends the requests that exceed their time limit. */
  check(now: number): void {
    for (const [request, watched] of this.#watched) {
      const { body } = watched
      if (body.isComplete()) {
        this.#watched.delete(request)
        continue
      }
      const bytesRead = body.bytesRead()
      if (body.streamed && (bytesRead !== watched.bytesRead || body.isWaiting())) {
        watched.bytesRead = bytesRead
        watched.since = now
      }
      if (now - watched.since < this.#timeoutMs) continue
      this.#watched.delete(request)
      body.expire()
    }
  }
}

const MAX_LOOK_MS = 1_000

/** Applies the time limits of bodies to all requests; Node applies that of headers. */
export function limitBodyTime(app: Server, timeoutMs: number) {
  const deadlines = new BodyDeadlines(timeoutMs)
  const timer = setInterval(() => deadlines.check(performance.now()), Math.min(MAX_LOOK_MS, timeoutMs / 4))
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { raw } = request
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
    if (raw.complete || ((length === undefined || length === '0') && encoding === undefined)) return
    const body: ArrivingBody = {
      streamed: request.routeOptions.config.streamsBody === true,
      bytesRead: () => raw.socket.bytesRead,
      isComplete: () => raw.complete,
      isWaiting: () => raw.readableLength > 0,
      // The same response as for requests that Node finds too slow.
      expire: () => app.server.emit('clientError', timeout(), raw.socket),
    }
    deadlines.add(raw, body, performance.now())
    onClosed(reply, () => deadlines.remove(raw))
  }
}

function timeout(): Error {
  return Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}
