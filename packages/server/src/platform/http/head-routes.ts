import type { onSendHookHandler } from 'fastify'
import type { Server } from './server.ts'

/**
 * Fastify says of every response to HEAD without content that its length is 0. That of a 304 would be the length of the
 * representation (RFC 9110, section 8.6), so it has none, as with GET. Call it before routes are registered.
 */
export function omitLengthOfNotModified(app: Server): void {
  const omitLength: onSendHookHandler = (_request, reply, payload, done) => {
    if (reply.statusCode === 304) reply.removeHeader('Content-Length')
    done(null, payload)
  }
  app.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [...[route.onSend ?? []].flat(), omitLength]
  })
}
