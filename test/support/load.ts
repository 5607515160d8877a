import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Exchange {
  readonly status: number
  readonly etag: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends requests on many connections at once, which `fetch` is too slow for. */
export interface Load extends Disposable {
  send(method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<Exchange>
}

/** `connections` kept open to one service for one key. A request without an answer after `limitMs` is given up. */
export function openLoad(
  base: string,
  key: string | undefined,
  connections: number,
  { limitMs = 0, onHung = () => {} }: { readonly limitMs?: number; readonly onHung?: (what: string) => void } = {},
): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })
  return {
    send: (method, path, headers = {}, body) =>
      new Promise((resolve, reject) => {
        const outgoing = request(base + path, {
          method,
          agent,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body !== undefined && { 'content-type': 'text/markdown', 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
        })
        const limit =
          limitMs > 0 &&
          setTimeout(() => {
            onHung(`${method} ${path}`)
            outgoing.destroy(new Error('no answer in time'))
          }, limitMs)
        outgoing.once('close', () => limit && clearTimeout(limit))
        outgoing.once('error', reject)
        outgoing.once('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              etag: response.headers.etag,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          )
        })
        outgoing.end(body)
      }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** How often each status was answered. */
export function countStatuses(exchanges: readonly Exchange[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of exchanges) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export function times<T>(count: number, work: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => work(index))
}
