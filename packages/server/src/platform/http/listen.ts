import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6 } from 'node:net'
import { StartError } from '../database/embedded/start-error.ts'
import type { Server } from './server.ts'

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up',
}

interface Place {
  readonly host: string
  readonly port: number
}

/** Throws what `listenAt` would throw, before a start has changed anything. */
export async function checkPort({ host, port }: Place, variables: string): Promise<void> {
  if (port === 0) return
  const probe = createServer().listen({ host, port })
  try {
    await once(probe, 'listening')
  } catch (error) {
    throw explainListenError(error, { host, port }, variables)
  }
  probe.close()
  await once(probe, 'close')
}

/** Listens, and returns the address; throws one sentence that names the variables to change. */
export async function listenAt(app: Server, { host, port }: Place, variables: string): Promise<string> {
  await app.listen({ host, port }).catch((error: unknown) => {
    throw explainListenError(error, { host, port }, variables)
  })
  const boundAddress = app.server.address() as AddressInfo // it listens on TCP
  return `http://${isIPv6(host) ? `[${host}]` : host}:${boundAddress.port}`
}

function explainListenError(error: unknown, { host, port }: Place, variables: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why = LISTEN_ERRORS[code]
  if (why === undefined) return error
  const sentence = `Recto cannot listen on ${host}, port ${port}: ${why}. Set ${variables} to others.`
  return new StartError(sentence, { cause: error })
}
