import { type AddressInfo, isIPv6 } from 'node:net'
import { StartError } from '../database/embedded/start-error.ts'
import type { Server } from './server.ts'

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up',
}

/** Listens, and returns the address; throws one sentence that names the variables to change. */
export async function listenAt(
  app: Server,
  { host, port }: { readonly host: string; readonly port: number },
  variables: string,
): Promise<string> {
  await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    const why = LISTEN_ERRORS[error.code ?? '']
    if (why === undefined) throw error
    throw new StartError(
      `Recto cannot listen on ${host}, port ${port}: ${why}. Set ${variables} to others.`,
      { cause: error },
    )
  })
  const bound = app.server.address() as AddressInfo // it listens on TCP
  return `http://${isIPv6(host) ? `[${host}]` : host}:${bound.port}`
}
