import { type AddressInfo, isIPv6 } from 'node:net'
import type { Config } from '../config.ts'
import { StartError } from '../database/embedded/start-error.ts'
import type { Server } from './server.ts'

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up',
}

/** Listens where the configuration says, and returns the address; a reason not to is one sentence. */
export async function listen(app: Server, config: Config): Promise<string> {
  await app.listen({ host: config.host, port: config.port }).catch((error: NodeJS.ErrnoException) => {
    const why = LISTEN_ERRORS[error.code ?? '']
    if (why === undefined) throw error
    throw new StartError(
      `Recto cannot listen on ${config.host}, port ${config.port}: ${why}. Set SVC_HOST or SVC_PORT to others.`,
      { cause: error },
    )
  })
  const { port } = app.server.address() as AddressInfo // it listens on TCP
  return `http://${isIPv6(config.host) ? `[${config.host}]` : config.host}:${port}`
}
