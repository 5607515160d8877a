import type { Server } from './server.ts'

/** How long requests that were accepted may take to be answered once the service stops. */
const PATIENCE_MS = 8_000
const LOOK_MS = 50

/** Closing waits for the answers that are owed, not for connections that browsers keep open behind them. */
export function closePromptly(app: Server): void {
  app.addHook('preClose', async () => {
    const { server } = app
    const idle = setInterval(() => server.closeIdleConnections(), LOOK_MS)
    const limit = setTimeout(() => server.closeAllConnections(), PATIENCE_MS)
    server.once('close', () => {
      clearInterval(idle)
      clearTimeout(limit)
    })
  })
}
