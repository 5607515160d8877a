import type { Server } from './server.ts'

/** How long requests that were accepted may take to be answered once the service stops. */
export const MAX_CLOSE_MS = 8_000
const POLL_MS = 50

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
  let draining = false
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('Connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    draining = true
    const { server } = app
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
