import type { FastifyRequest } from 'fastify'
import type { Server } from './server.ts'
import { addSyncHook } from './sync-hook.ts'

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
