import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { RequestObserver } from './completion.ts'
import { readTraceId } from './trace-context.ts'

export interface RequestLogOptions {
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Every request; otherwise writes, errors and slow ones. */
  readonly all: boolean
  /** The id of the authenticated principal, if any. */
  readonly getPrincipalId: (request: FastifyRequest) => string | undefined
}

const SLOW_MS = 1_000
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The access log. It has the route, not the URL, which names pages. */
export function requestLog({ log, all, getPrincipalId }: RequestLogOptions): RequestObserver {
  return {
    completed({ request, route, status, ms }) {
      const { method, id: requestId } = request
      if (!all && SAFE_METHODS.has(method) && status < 400 && ms <= SLOW_MS) return
      const principal = getPrincipalId(request)
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
