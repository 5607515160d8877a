import type { FastifyReply, FastifyRequest } from 'fastify'
import { onClosed } from '../request-scope.ts'
import type { Server } from '../server.ts'

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
