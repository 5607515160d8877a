import type { FastifyReply, FastifyRequest } from 'fastify'
import { appendHeader } from './headers/response-headers.ts'

/** Origins whose scripts may call the API: all, or these. */
export type AllowedOrigins = '*' | ReadonlySet<string>

/** Request headers that an endpoint reads and that browsers send only after a preflight. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Digest',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Last-Event-ID',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Prefer',
  'Range',
  'Recto-Version',
  'Repr-Digest',
  'Traceparent',
  'Want-Repr-Digest',
  'X-Request-Id',
].join(', ')

/** Response headers that scripts can read in addition to those that are always readable. */
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Mcp-Session-Id',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Recto-Version',
  'Repr-Digest',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ')

/** Endpoints for apps in a browser that have no token yet (OAuth): open to every origin, since they use no cookie. */
const OPEN = /^\/(?:\.well-known\/oauth-[a-z-]+(?:\/mcp)?|oauth\/(?:token|register|revoke|jwks))(?:\?|$)/

/** How long a browser caches the response to a preflight, in seconds; Chromium caches none longer. */
const MAX_AGE = '7200'

/**
 * Cross-origin resource sharing (Fetch Standard, "CORS protocol") for bearer credentials alone: no response allows
 * credentials, so a browser shows no script of another origin what its cookies would show.
 */
export function shareWithOrigins(origins: AllowedOrigins) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    const { origin } = request.headers
    const allowedOrigins = OPEN.test(request.url) ? '*' : origins
    if (origin === undefined || !isAllowed(allowedOrigins, origin)) return undefined
    reply.headers({
      'Access-Control-Allow-Origin': allowedOrigins === '*' ? '*' : origin,
      'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    })
    return isPreflight(request) ? answerPreflight(request, reply) : undefined
  }
}

/** Says that responses depend on the origin, where some origins may call. */
export function varyByOrigin(origins: AllowedOrigins) {
  const varies = origins !== '*' && origins.size > 0
  return (_request: FastifyRequest, reply: FastifyReply): void => {
    if (varies) appendHeader(reply, 'Vary', 'Origin')
  }
}

/** Whether scripts of an origin may call the API; an origin without a name (`null`) may only where all may. */
export function isAllowed(origins: AllowedOrigins, origin: string): boolean {
  return origins === '*' || origins.has(origin)
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

/** Answers a preflight, which has no credential; without a route for the URL as for any other request. */
function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const allow = request.server.allowedAt(request.url)
  if (allow === undefined) return undefined
  return reply
    .code(204)
    .headers({
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': MAX_AGE,
    })
    .send()
}
