import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Leaves in `X-Forwarded-For` the addresses that trusted proxies have added, without the ports that some add (Azure).
 * Where one of them is no address, those before it may be made up: the client then counts as the proxy that says so.
 */
export function keepAddresses(headers: IncomingHttpHeaders, trustedProxies: number): void {
  const header = headers['x-forwarded-for']
  if (trustedProxies === 0 || typeof header !== 'string') return
  const entries = header.split(',').map((entry) => entry.trim())
  const added = entries.filter((entry) => entry !== '').slice(-trustedProxies)
  const addresses = added.map(parseAddress)
  headers['x-forwarded-for'] = addresses.slice(addresses.lastIndexOf(undefined) + 1).join(', ')
}

/** The IP address of `1.2.3.4`, `1.2.3.4:567`, `::1`, `[::1]` or `[::1]:567`. */
function parseAddress(entry: string): string | undefined {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry) ?? []
  if (inBrackets !== undefined) return isIPv6(inBrackets) ? inBrackets : undefined
  const address = entry.replace(/^([\d.]+):\d{1,5}$/, '$1')
  return isIP(address) === 0 ? undefined : address
}

/** Warns once about a proxy that is not configured as trusted: all its clients count as one. */
export function warnOfUntrustedProxy(trustedProxies: number) {
  let warned = trustedProxies > 0
  return (request: FastifyRequest): void => {
    const { headers } = request
    if (warned || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return
    warned = true
    request.log.warn(
      { proxy: request.ip },
      'requests have X-Forwarded-For, but SVC_TRUST_PROXY is 0: all clients of this proxy count as one address. ' +
        'If the proxy is yours, set SVC_TRUST_PROXY to the number of proxies in front, such as 1',
    )
  }
}
