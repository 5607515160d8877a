import type { FastifyRequest } from 'fastify'
import type { RequestObserver } from './completion.ts'

/** The ids of traces that began in this service, if it records them. */
const recorded = new WeakMap<FastifyRequest, string>()

/** The trace of a request: the one of its caller, or a new one. */
export function readTraceId(request: FastifyRequest): string | undefined {
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

/** Adds the trace id to all log lines of a request. */
export const traceLogs: RequestObserver = {
  started(request, reply) {
    const traceId = readTraceId(request)
    if (traceId === undefined) return
    request.log = request.log.child({ traceId })
    reply.log = request.log
  },
  completed() {},
}
