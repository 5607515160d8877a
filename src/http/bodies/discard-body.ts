import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** How long the rest of a body is read after its response was sent. */
const LINGER_MS = 10_000

/**
 * Lingering close, as in nginx: reads and discards the rest of a rejected body, so that its sender reads the response
 * instead of a reset; after a time limit the connection is closed.
 */
export function discardBody(request: IncomingMessage, body: Readable = request): void {
  if (request.complete) return
  body.on('error', () => {}) // nobody reads it
  body.resume()
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
}
