import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens to a connection. */
export interface NetworkFault {
  /**
   * It is cut, or goes silent, after so many bytes to the client; or the first request is refused, so that the client
   * waits.
   */
  readonly what: 'cut' | 'cut the request' | 'silence' | '503'
  readonly bytes: number
}

/** A TCP proxy on which each connection meets the next fault. */
export interface BadNetwork extends AsyncDisposable {
  readonly url: string
  /** How often each fault happened. */
  readonly met: Readonly<Record<NetworkFault['what'], number>>
}

const REFUSED = 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/** In front of a service. Connections after the last fault are undisturbed. */
export async function startBadNetwork(service: string, faults: Iterable<NetworkFault>): Promise<BadNetwork> {
  const { hostname, port } = new URL(service)
  const next = faults[Symbol.iterator]()
  const met = { cut: 0, 'cut the request': 0, silence: 0, '503': 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    const { value: fault } = next.next()
    relay(client, upstream, fault, () => {
      if (fault) met[fault.what as NetworkFault['what']]++
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function relay(client: Socket, upstream: Socket, fault: NetworkFault | undefined, happened: () => void): void {
  const isOfRequest = fault?.what === 'cut the request'
  if (fault?.what === '503') {
    client.once('data', () => {
      happened()
      client.end(REFUSED)
    })
    return
  }
  passOn(client, upstream, isOfRequest ? fault : undefined, happened)
  passOn(upstream, client, isOfRequest ? undefined : fault, happened)
}

function passOn(from: Socket, to: Socket, fault: NetworkFault | undefined, happened: () => void): void {
  let left = fault?.bytes ?? Number.POSITIVE_INFINITY
  from.on('data', (chunk: Buffer) => {
    if (chunk.length < left) {
      left -= chunk.length
      if (!to.write(chunk)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
      return
    }
    happened()
    from.pause()
    to.write(chunk.subarray(0, left), () => {
      if (fault?.what === 'silence') return
      from.destroy()
      to.destroy()
    })
  })
}
