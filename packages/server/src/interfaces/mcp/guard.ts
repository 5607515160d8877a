import { isIP } from 'node:net'
import { AppError } from '@recto/contract/errors.ts'
import { ownOrigins } from '@recto/lib/network/own-origins.ts'
import type { FastifyRequest } from 'fastify'
import { type AllowedOrigins, isAllowed } from '../../platform/http/cors.ts'

/**
 * Protection against cross-site requests and DNS rebinding (MCP specification, Streamable HTTP, Security Warning):
 * throws `cross_site` unless `Origin`, if present, is that of this service or one of `origins`, and `Host` is its host
 * name or one that no site can own: an IP address or `localhost`.
 */
export function rejectForeignOrigin(request: FastifyRequest, publicUrl: string, origins: AllowedOrigins): void {
  const own = new URL(publicUrl)
  const { origin, host } = request.headers
  const requestedHost = URL.parse(`http://${host ?? ''}`)
  if (!requestedHost || (requestedHost.hostname !== own.hostname && !isUnowned(requestedHost.hostname))) {
    throw foreign(`\`Host\` must be ${own.host}.`)
  }
  const isOwn = origin === undefined || ownOrigins(own.origin).includes(origin)
  if (!isOwn && !isAllowed(origins, origin))
    throw foreign(`\`Origin\` must be ${own.origin}, or be listed in SVC_CORS_ORIGINS.`)
}

function isUnowned(hostname: string): boolean {
  return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}

function foreign(detail: string): AppError {
  return new AppError('cross_site', `The request came from another site: ${detail}`)
}
