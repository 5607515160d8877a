import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A pooler in front of a PostgreSQL on this port that does not know prepared statements, as PgBouncer before 1.21: two
 * clients that prepare a statement of one name meet in one session.
 */
export async function startOldPooler(databasePort: number): Promise<AsyncDisposable & { readonly port: number }> {
  const owners = new Map<string, Socket>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(databasePort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    upstream.pipe(client)
    client.on('data', (chunk) => {
      const name = parsedName(chunk)
      if (name !== '' && (owners.get(name) ?? client) !== client) client.write(alreadyExists(name))
      else upstream.write(chunk)
      if (name !== '') owners.set(name, client)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The name in the message Parse that a chunk begins with; empty where there is none. */
function parsedName(chunk: Buffer): string {
  return chunk[0] === 0x50 ? chunk.toString('latin1', 5, chunk.indexOf(0, 5)) : ''
}

/** The messages ErrorResponse and ReadyForQuery. */
function alreadyExists(name: string): Buffer {
  const fields = Buffer.from(`SERROR\0C42P05\0Mprepared statement "${name}" already exists\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields, Buffer.from('Z\0\0\0\x05I')])
}
