import { type AddressInfo, connect, createServer, type Socket, type TcpSocketConnectOpts } from 'node:net'

/** A TCP proxy that accepts every connection, and passes nothing on while it is paused. */
export interface PausingProxy extends AsyncDisposable {
  readonly port: number
  pause(): void
  resume(): void
}

/** In front of the server that listens on this unix socket, or at this host and port. */
export async function startPausingProxy(target: string | TcpSocketConnectOpts, port = 0): Promise<PausingProxy> {
  const sockets = new Set<Socket>()
  let paused = false
  const server = createServer((client) => {
    const upstream = typeof target === 'string' ? connect(target) : connect(target)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      if (paused) from.pause()
      from.on('error', () => {})
      from.on('data', (chunk) => to.write(chunk))
      if (paused) from.pause()
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    pause() {
      paused = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      paused = false
      for (const socket of sockets) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
