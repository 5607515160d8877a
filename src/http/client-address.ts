import type { FastifyRequest } from 'fastify'
import type { Server } from './server.ts'
import { addSyncHook } from './sync-hook.ts'

/** The client's IP address, for limits by address. */
export interface ClientAddress {
  readonly address: string
  /** Whether it is the address of a proxy, so that many clients share it. */
  readonly shared: boolean
}

/** The address of the client, or of the proxy in front if none is trusted or it does not say whose request it is. */
export function clientAddress(request: FastifyRequest, trustedProxies: number): ClientAddress {
  const { ip: address, ips } = request
  // Fewer addresses than proxies: it is that of a proxy.
  const isOfProxy = trustedProxies === 0 || (ips?.length ?? 1) <= trustedProxies
  return { address, shared: isOfProxy && isForwarded(request) }
}

/** Warns once about a proxy that is not configured as trusted: all its clients count as one. */
export function warnOfUntrustedProxy(app: Server, trustedProxies: number): void {
  if (trustedProxies > 0) return
  let warned = false
  addSyncHook(app, 'onRequest', (request) => {
    if (warned || !isForwarded(request)) return
    warned = true
    request.log.warn(
      { proxy: request.ip },
      'requests have X-Forwarded-For, but SVC_TRUST_PROXY is 0: all clients of this proxy count as one address. If the proxy is yours, set SVC_TRUST_PROXY to the number of proxies in front, such as 1',
    )
  })
}

function isForwarded({ headers }: FastifyRequest): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
}
