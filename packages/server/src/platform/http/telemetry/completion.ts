import type { FastifyReply, FastifyRequest } from 'fastify'
import { onClosed } from '../on-closed.ts'

/** A completed request: its response was sent, or its client closed the connection. */
interface CompletedRequest {
  readonly request: FastifyRequest
  /** The pattern of the route, never the path; `none` where no route matches. */
  readonly route: string
  /** The status of the response; 499 if the client disconnected early (as in nginx). */
  readonly status: number
  readonly ms: number
}

export interface RequestObserver {
  started?(request: FastifyRequest, reply: FastifyReply): void
  completed(done: CompletedRequest): void
}

const CLIENT_CLOSED_REQUEST = 499

/**
 * Calls the observers now, and after the response is closed: Fastify's `onResponse` misses clients that disconnect.
 */
export function observeRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  observers: readonly RequestObserver[],
): void {
  const began = performance.now()
  for (const observer of observers) observer.started?.(request, reply)
  onClosed(reply, () => {
    const done = {
      request,
      route: request.routeOptions?.url ?? 'none',
      status: reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST,
      ms: performance.now() - began,
    }
    for (const observer of observers) observer.completed(done)
  })
}
