import type { FastifyRequest } from 'fastify'
import type { RequestObserver } from './completion.ts'

/** Ids of traces that this service began itself, where it records them. */
const recorded = new WeakMap<FastifyRequest, string>()

/** The trace that a request belongs to: the one that its caller named, or the one that was begun for it. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return recorded.get(request) ?? parseTraceparent(request.headers.traceparent)
}

export function setTraceId(request: FastifyRequest, traceId: string): void {
  recorded.set(request, traceId)
}

/** W3C Trace Context, section 3.2: the trace id of a header that is valid, of this version or a later one. */
function parseTraceparent(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, parentId] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/.exec(header) ?? []
  if (traceId === undefined || version === 'ff' || (version === '00' && header.length !== 55))
    return undefined
  return /^0+$/.test(traceId) || /^0+$/.test(parentId ?? '') ? undefined : traceId
}

/** Everything that is logged about a request of a trace names the trace. */
export const traceLogs: RequestObserver = {
  started(request, reply) {
    const traceId = traceIdOf(request)
    if (traceId === undefined) return
    request.log = request.log.child({ traceId })
    reply.log = request.log
  },
  completed() {},
}
