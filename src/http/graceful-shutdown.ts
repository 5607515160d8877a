import { type Socket, Server as TcpServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Server } from './server.ts'

/** How long requests that were accepted may take to be answered once the service stops. */
export const MAX_CLOSE_MS = 8_000
const POLL_MS = 50
/** The first turn may be the rest of one in which a connection was accepted. */
const QUIET_TURNS = 2
const MAX_ACCEPT_MS = 1_000

/** Graceful shutdown: drain, stop listening, answer what was accepted. */
export interface Shutdown {
  /** Whether load balancers are to send requests elsewhere. */
  readonly draining: boolean
  /** From now on every response asks its client to close the connection; requests are served as before. */
  drain(): void
}

/**
 * Closing waits for in-flight responses, not for the idle connections that clients keep open. Proxies lose no request when
 * they hear of it in time: `drain` comes some seconds before, so that the connections in use are closed by their clients.
 */
export function shutDownGracefully(app: Server): Shutdown {
  const { server } = app
  let draining = false
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('Connection', 'close')
    done(null, payload)
  })
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
    get draining() {
      return draining
    },
    drain() {
      draining = true
    },
  }
}

/**
 * Stops listening once every connection that has arrived is accepted: the kernel resets those that wait, and a proxy does not
 * repeat a PATCH that it sent on one. libuv accepts one connection a turn of the event loop, so a busy node has many waiting.
 * They are read afterwards, so that the turns are short until then.
 */
async function stopListening(server: TcpServer): Promise<void> {
  const accepted: Socket[] = []
  const hold = (socket: Socket) => accepted.push(socket)
  server.on('connection', hold)
  Object.assign(server, { pauseOnConnect: true }) // read for each connection, as documented for `createServer`
  const ends = performance.now() + MAX_ACCEPT_MS
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < ends; ) {
    const before = accepted.length
    await turn()
    quiet = accepted.length === before ? quiet + 1 : 0
  }
  // Not the HTTP server's own `close`, which also closes idle connections: their next request may have arrived meanwhile.
  TcpServer.prototype.close.call(server)
  server.off('connection', hold)
  for (const socket of accepted) socket.resume()
  // A turn to listen to them, and one to read.
  await turn()
  await turn()
}
