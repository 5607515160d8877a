import type { FastifyRequest } from 'fastify'
import type { Server } from './server.ts'

/** Where a request came from, for limits by address. */
export interface ClientAddress {
  readonly address: string
  /** The address is that of a proxy which is not trusted, so that many clients have it. */
  readonly shared: boolean
}

/** The address of the client, or that of the proxy in front where none is trusted. */
export function clientAddress(request: FastifyRequest, trustedProxies: number): ClientAddress {
  return { address: request.ip, shared: trustedProxies === 0 && isForwarded(request) }
}

/** Logs once what to set when a proxy is in front that the configuration does not know of: all its clients look like one. */
export function warnOfUntrustedProxy(app: Server, trustedProxies: number): void {
  if (trustedProxies > 0) return
  let warned = false
  app.addHook('onRequest', async (request) => {
    if (warned || !isForwarded(request)) return
    warned = true
    request.log.warn(
      { proxy: request.ip },
      'requests arrive with X-Forwarded-For, but SVC_TRUST_PROXY is 0: all clients behind this proxy count as one address. If the proxy is yours, set SVC_TRUST_PROXY to the number of proxies in front, such as 1',
    )
  })
}

function isForwarded({ headers }: FastifyRequest): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
}
