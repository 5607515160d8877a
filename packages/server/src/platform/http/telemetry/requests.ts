import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { Gauge, Histogram, type Registry } from 'prom-client'
import { onClosed } from '../request-scope.ts'

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
  completed?(done: CompletedRequest): void
}

const CLIENT_CLOSED_REQUEST = 499

/** Calls the observers now, and after the response is closed: Fastify's `onResponse` misses clients that disconnect. */
export function observeRequests(observers: readonly RequestObserver[]) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const began = performance.now()
    for (const observer of observers) observer.started?.(request, reply)
    onClosed(reply, () => {
      const done = {
        request,
        route: request.routeOptions?.url ?? 'none',
        status: reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST,
        ms: performance.now() - began,
      }
      for (const observer of observers) observer.completed?.(done)
    })
  }
}

/** Counts and times every request by route, never by URL. */
export function requestMetrics(registry: Registry): RequestObserver {
  const seconds = new Histogram({
    name: 'recto_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response; status 499: the client left before.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const open = new Gauge({
    name: 'recto_http_requests_open',
    help: 'Requests in progress, streams included.',
    registers: [registry],
  })
  return {
    started: () => open.inc(),
    completed({ request, route, status, ms }) {
      open.dec()
      seconds.observe({ method: request.method, route, status }, ms / 1000)
    },
  }
}

interface RequestLogOptions {
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Every request; otherwise writes, errors and slow ones. */
  readonly all: boolean
}

const SLOW_MS = 1_000
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The access log. It has the route, not the URL, which names pages. */
export function requestLog({ log, all }: RequestLogOptions): RequestObserver {
  return {
    completed({ request, route, status, ms }) {
      const { method, id: requestId } = request
      if (!all && SAFE_METHODS.has(method) && status < 400 && ms <= SLOW_MS) return
      const principal = request.scope?.principalId
      const traceId = readTraceId(request)
      const line = {
        method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        ...(principal !== undefined && { principal }),
        requestId,
        ...(traceId !== undefined && { traceId }),
      }
      if (status >= 500) log.warn(line, 'request')
      else log.info(line, 'request')
    },
  }
}

/** The ids of traces that began in this service, if it records them. */
const recordedContexts = new WeakMap<FastifyRequest, string>()

/** The trace of a request: the one of its caller, or a new one. */
function readTraceId(request: FastifyRequest): string | undefined {
  return recordedContexts.get(request) ?? parseTraceparent(request.headers.traceparent)
}

export function setTraceId(request: FastifyRequest, traceId: string): void {
  recordedContexts.set(request, traceId)
}

/** W3C Trace Context, section 3.2: the trace id of a header that is valid, of this version or a later one. */
function parseTraceparent(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, parentId] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/.exec(header) ?? []
  if (traceId === undefined || version === 'ff' || (version === '00' && header.length !== 55)) return undefined
  return /^0+$/.test(traceId) || /^0+$/.test(parentId ?? '') ? undefined : traceId
}

export const traceLogs: RequestObserver = {
  started(request, reply) {
    const traceId = readTraceId(request)
    if (traceId === undefined) return
    request.log = request.log.child({ traceId })
    reply.log = request.log
  },
}
