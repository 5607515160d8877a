import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/**
 * Refuses with `cross_site` what a page of another site made a browser send (MCP, "Streamable HTTP", security warning).
 * `Origin`, where there is one, is this service's own. `Host` is its name too, or one that no other site can own: an
 * address, or `localhost`. So a name that was made to lead here (DNS rebinding) opens nothing.
 */
export function rejectForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  const own = new URL(publicUrl)
  const { origin, host } = request.headers
  const asked = URL.parse(`http://${host ?? ''}`)
  if (!asked || (asked.hostname !== own.hostname && !isUnowned(asked.hostname))) {
    throw foreign(`\`Host\` names another service than ${own.host}.`)
  }
  if (origin === undefined || origin === own.origin) return
  const from = URL.parse(origin)
  // Started without a public URL, the service goes by every name of this machine.
  const here = from && isLoopback(from.hostname) && isLoopback(own.hostname) && from.port === own.port
  if (!here) throw foreign(`\`Origin\` is another than ${own.origin}.`)
}

function isUnowned(hostname: string): boolean {
  return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function foreign(detail: string): AppError {
  return new AppError('cross_site', `The request came from another site: ${detail}`)
}
