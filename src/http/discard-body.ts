import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** How long the rest of a body is read whose response is sent already. */
const LINGER_MS = 10_000

/**
 * Lingering close, as in nginx: reads and discards the rest of a body that is not wanted, so that its sender reads the response
 * instead of a reset; who goes on for too long loses the connection.
 */
export function discardBody(request: IncomingMessage, body: Readable = request): void {
  if (request.complete) return
  body.on('error', () => {}) // nobody reads it
  body.resume()
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
}
