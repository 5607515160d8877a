import type { FastifyRequest } from 'fastify'
import type { Server } from './server.ts'

const CREATED = new Set([201, 202])
const MOVED = new Set([307, 308])
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=:|$)/

/** Makes `Location` of what was created, accepted or moved absolute. */
export function sendAbsoluteLocations(app: Server, origin: () => string): void {
  app.addHook('onSend', async (request, reply) => {
    const location = reply.getHeader('location')
    if (typeof location !== 'string' || !location.startsWith('/')) return
    if (CREATED.has(reply.statusCode)) reply.header('Location', origin() + location)
    if (MOVED.has(reply.statusCode)) reply.header('Location', usedOrigin(request, origin()) + location)
  })
}

/**
 * The origin that a redirect names. Clients send no credential to another origin than the one that they used, and the
 * header `Host` is not trusted: a request by an unknown name gets a relative redirect.
 */
function usedOrigin({ host }: FastifyRequest, origin: string): string {
  const url = new URL(origin)
  if (host === url.host) return origin
  const isOwn = LOOPBACK.test(url.host) && LOOPBACK.test(host)
  return isOwn && portOf(host) === url.port ? `${url.protocol}//${host}` : ''
}

function portOf(host: string): string {
  return host.replace(LOOPBACK, '').slice(1)
}
