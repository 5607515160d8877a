import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** How long the rest of a body is read after its response was sent. */
const LINGER_MS = 10_000

/** Lingering close, as in nginx: discards a rejected body for some time, so that its sender gets no reset. */
export function discardBody(request: IncomingMessage, body: Readable = request): void {
  if (request.complete || request.destroyed) return
  body.on('error', () => {}) // nobody reads it
  body.resume()
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
}

/** Passes the body of the request, if any, to `receive` as a stream; what an error leaves of it is discarded. */
export async function withBodyStream<T>(request: FastifyRequest, receive: (body: Readable) => Promise<T>): Promise<T> {
  const body = request.body instanceof Readable ? request.body : Readable.from([])
  try {
    return await receive(body)
  } catch (error) {
    discardBody(request.raw, body)
    throw error
  }
}

/**
 * Lets the sender of a rejected body read why it was rejected, and keep the connection: Fastify closes it together with
 * the response to a body that is too large, which resets it while the body is still being sent. Routes that stream
 * bodies do the same themselves. A client that waits for `100 Continue` sends no body after an error.
 */
export function discardRejectedBody({ raw, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (routeOptions.config?.streamsBody || raw.headers.expect !== undefined) return
  reply.removeHeader('Connection')
  discardBody(raw)
}
