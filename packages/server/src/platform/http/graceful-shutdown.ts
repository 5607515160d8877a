import { type Socket, Server as TcpServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from './server.ts'

/** How long in-flight requests may take during a shutdown. */
export const MAX_CLOSE_MS = 8_000
const POLL_MS = 50
/** The first turn may be the rest of one in which a connection was accepted. */
const QUIET_TURNS = 2
const MAX_ACCEPT_MS = 1_000

export type Shutdown = ReturnType<typeof shutDownGracefully>

/**
 * Graceful shutdown: drain, stop listening, answer what was accepted. Closing waits for in-flight responses, not for
 * idle connections that clients keep open. Proxies lose no request if they are notified in time: `drain` is called some
 * seconds before, so that clients close the connections in use.
 */
export function shutDownGracefully(app: Server) {
  const { server } = app
  let draining = false
  app.addHook('preClose', async () => {
    draining = true
    if (server.listening) await stopListening(server)
    const idle = setInterval(() => server.closeIdleConnections(), POLL_MS)
    const limit = setTimeout(() => server.closeAllConnections(), MAX_CLOSE_MS)
    server.once('close', () => {
      clearInterval(idle)
      clearTimeout(limit)
    })
  })
  return {
    /** Whether load balancers should send requests elsewhere. */
    get draining() {
      return draining
    },
    /** A hook before responses are sent. */
    closeConnection(_request: FastifyRequest, reply: FastifyReply): void {
      if (draining) reply.header('Connection', 'close')
    },
    /** From now on every response asks its client to close the connection; requests are served as before. */
    drain() {
      draining = true
    },
  }
}

/**
 * Stops listening after every connection that has arrived is accepted: the kernel resets the ones in the backlog, and
 * a proxy does not repeat a PATCH that it sent on one. libuv accepts one connection per turn of the event loop, so
 * that a busy node has many waiting. They are read afterwards, so that the turns are short until then.
 */
async function stopListening(server: TcpServer): Promise<void> {
  const acceptedSockets: Socket[] = []
  const hold = (socket: Socket) => acceptedSockets.push(socket)
  server.on('connection', hold)
  Object.assign(server, { pauseOnConnect: true }) // read for each connection, as documented for `createServer`
  const ends = performance.now() + MAX_ACCEPT_MS
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < ends; ) {
    const before = acceptedSockets.length
    await turn()
    quiet = acceptedSockets.length === before ? quiet + 1 : 0
  }
  // Not the HTTP server's own `close`, which also closes idle connections: their next request may have arrived
  // meanwhile.
  TcpServer.prototype.close.call(server)
  server.off('connection', hold)
  for (const socket of acceptedSockets) socket.resume()
  // A turn to receive their requests, and one to read.
  await turn()
  await turn()
}
