import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Where a connection to PostgreSQL is cut, as seen from the statement that is on its way. */
export const CUTS = [
  'before begin',
  'before a statement',
  'after a statement',
  'before commit',
  'after commit',
  'within the answer to commit',
] as const
export type Cut = (typeof CUTS)[number]

/** A transaction has about so many of them to one commit. */
const STATEMENTS = 8

/** Stands between Recto and PostgreSQL, and cuts connections at chosen points of the protocol. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number
  /** How often each cut was made. */
  readonly made: Readonly<Record<Cut, number>>
  /** From now on a transaction meets each cut with about this probability. */
  setRate(rate: number): void
}

/** A proxy on a free port for the server that listens on this unix socket. */
export async function startFaultProxy(socketPath: string): Promise<FaultProxy> {
  const made = Object.fromEntries(CUTS.map((cut) => [cut, 0])) as Record<Cut, number>
  let rate = 0
  const strikes = (cut: Cut) => {
    if (Math.random() >= (cut.endsWith('a statement') ? rate / STATEMENTS : rate)) return false
    made[cut]++
    return true
  }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(socketPath)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    relay(client, upstream, strikes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    made,
    setRate(next) {
      rate = next
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function relay(client: Socket, upstream: Socket, strikes: (cut: Cut) => boolean): void {
  /** What becomes of the next answer: nothing is told of it, or only its first bytes. */
  let fate: 'silence' | 'stump' | undefined
  upstream.on('data', (answer) => {
    if (fate === undefined) return void client.write(answer)
    if (fate === 'stump') client.write(answer.subarray(0, 3))
    client.destroy()
  })
  const messages = splitter()
  const kindOf = kinds()
  client.on('data', (chunk) => {
    for (const message of messages(chunk)) {
      const kind = kindOf(message)
      if (kind === 'begin' && strikes('before begin')) return void client.destroy()
      if (kind === 'statement' && strikes('before a statement')) return void client.destroy()
      if (kind === 'commit' && strikes('before commit')) return void client.destroy()
      if (kind === 'statement' && strikes('after a statement')) fate = 'silence'
      if (kind === 'commit' && strikes('after commit')) fate = 'silence'
      else if (kind === 'commit' && strikes('within the answer to commit')) fate = 'stump'
      upstream.write(message)
    }
  })
}

type Kind = 'begin' | 'commit' | 'statement' | 'other'

/**
 * Says of each message of a connection what it starts: `Q` is a simple query; `P` gives a statement, by a name or by
 * none, which `B` binds to values (PostgreSQL, 53.7).
 */
function kinds(): (message: Buffer) => Kind {
  const texts = new Map<string, string>()
  return (message) => {
    const type = String.fromCharCode(message[0] ?? 0)
    const [first = '', second = ''] = message.subarray(5).toString('latin1').split('\0', 2)
    if (type === 'P') texts.set(first, second)
    const text = (type === 'Q' ? first : type === 'B' ? (texts.get(second) ?? '') : '').toLowerCase()
    if (text === 'begin' || text === 'commit') return text
    return type === 'B' && text !== 'rollback' ? 'statement' : 'other'
  }
}

/** Cuts the bytes of a client into messages. The first one has no letter before its length. */
function splitter(): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const messages: Buffer[] = []
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return messages
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return messages
      messages.push(rest.subarray(0, end))
      rest = rest.subarray(end)
      started = true
    }
  }
}
