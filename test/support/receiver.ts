import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './embedded.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body as JSON; a test reads of it what it asserts. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  readonly json: any
  readonly at: number
}

/** An HTTP server that keeps what is posted to it. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** The nth request, once it is there. */
  nth(n: number): Promise<Received>
}

/** Starts a receiver; `answer` answers in place of a plain 204. */
export async function startReceiver(
  answer: (response: ServerResponse, request: Received, count: number) => void = (response) =>
    response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const one = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body), at: Date.now() }
    received.push(one)
    answer(response, one, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async nth(n) {
      await until(() => received.length >= n)
      return received[n - 1] as Received // it is there
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
