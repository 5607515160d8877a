/** Long responses that continue after the connection is cut or silent. */
import type { Connection, Request } from './connection.ts'
import { ConnectionError } from './errors.ts'
import { readChunks } from './lines.ts'
import { jittered, open, sleep } from './request.ts'

const RECONNECT_MS = 500

/** How long the response to a request may be silent: as long as an attempt may take. */
export function silenceLimit(connection: Connection, { call }: Pick<Request, 'call'>): number | undefined {
  return call?.timeout || connection.timeout || undefined
}

/** Waits before the response is asked for again. Throws the error after as long a silence as requests are retried. */
export class Reconnects {
  readonly #connection: Connection
  readonly #signal: AbortSignal | undefined
  #until = 0

  constructor(connection: Connection, { call }: Pick<Request, 'call'>) {
    this.#connection = connection
    this.#signal = call?.signal
    this.progressed()
  }

  /** Something has arrived. */
  progressed(): void {
    this.#until = Date.now() + this.#connection.retryTimeout
  }

  async wait(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted()
    const delayMs = jittered(RECONNECT_MS)
    if (Date.now() + delayMs > this.#until) throw new ConnectionError(this.#connection.url, error)
    await sleep(delayMs, this.#signal)
  }
}

/**
 * Streams the body of a response. After a cut it asks for the rest (RFC 9110, section 14), as long as the ETag is the
 * same. Resolves when the headers of the first response have arrived.
 */
export async function openResumed(connection: Connection, request: Request): Promise<ReadableStream<Uint8Array>> {
  const chunks = resumedChunks(connection, request, await open(connection, request))
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}

async function* resumedChunks(
  connection: Connection,
  request: Request,
  first: Response,
): AsyncGenerator<Uint8Array, undefined> {
  const etag = first.headers.get('etag')
  const reconnects = new Reconnects(connection, request)
  let response = first
  let receivedBytes = 0
  while (true) {
    if (!response.body) throw new ConnectionError(connection.url, 'the response has no body')
    try {
      for await (const chunk of readChunks(response.body, silenceLimit(connection, request))) {
        receivedBytes += chunk.length
        yield chunk
        reconnects.progressed()
      }
      return undefined
    } catch (error) {
      await reconnects.wait(error)
      if (etag === null) throw new ConnectionError(connection.url, error)
    }
    const headers = { ...request.headers, Range: `bytes=${receivedBytes}-`, 'If-Range': etag }
    response = await open(connection, { ...request, headers })
    if (response.status !== 206) throw new ConnectionError(connection.url, 'the file has changed')
  }
}
