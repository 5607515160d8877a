import { isIPv6 } from 'node:net'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Whether the host name of a URL is one of the loopback interface. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_NAMES.includes(hostname)
}

/** Whether a host to listen on means every address of the machine: `0.0.0.0`, `::`, `0`, `0::0`. */
export function isWildcardHost(host: string): boolean {
  const url = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`)
  return url !== null && ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(url.hostname)
}

/** The origins of a service by its public one, which is the first: a service on this machine has each loopback name. */
export function ownOrigins(publicOrigin: string): readonly string[] {
  const { protocol, hostname, port } = new URL(publicOrigin)
  if (!isLoopbackName(hostname)) return [publicOrigin]
  const others = LOOPBACK_NAMES.filter((name) => name !== hostname)
  return [publicOrigin, ...others.map((name) => `${protocol}//${name}${port && `:${port}`}`)]
}

/** The one of our origins that has the host of the header `Host`, which is not trusted; undefined for other hosts. */
export function originOfHost(host: string, publicOrigin: string): string | undefined {
  return ownOrigins(publicOrigin).find((origin) => new URL(origin).host === host)
}
