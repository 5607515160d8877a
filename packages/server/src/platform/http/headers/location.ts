import { originOfHost } from '../../../../../lib/src/network/own-origins.ts'
import type { Server } from '../server.ts'
import { addSendHook } from '../sync-hook.ts'

const CREATED = new Set([201, 202])
const MOVED = new Set([307, 308])

/** Makes `Location` of what was created, accepted or moved absolute. */
export function sendAbsoluteLocations(app: Server, origin: () => string): void {
  addSendHook(app, (request, reply) => {
    const location = reply.getHeader('location')
    if (typeof location !== 'string' || !location.startsWith('/')) return
    if (CREATED.has(reply.statusCode)) reply.header('Location', origin() + location)
    if (MOVED.has(reply.statusCode)) reply.header('Location', usedOrigin(request.host, origin()) + location)
  })
}

/**
 * The origin that a redirect names. Clients send no credential to another origin than the one that they used, and the
 * header `Host` is not trusted: a request by an unknown name gets a relative redirect.
 */
function usedOrigin(host: string, origin: string): string {
  return originOfHost(host, origin) ?? ''
}
