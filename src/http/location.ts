import type { Server } from './server.ts'

/** Makes `Location` of what was created or accepted absolute. Redirects stay within the origin that the client uses. */
export function sendAbsoluteLocations(app: Server, origin: () => string): void {
  app.addHook('onSend', async (_request, reply) => {
    const location = reply.getHeader('location')
    if (typeof location !== 'string' || !location.startsWith('/')) return
    if (reply.statusCode !== 201 && reply.statusCode !== 202) return
    reply.header('Location', origin() + location)
  })
}
