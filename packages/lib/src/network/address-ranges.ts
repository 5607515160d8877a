import { isIP } from 'node:net'
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

type Block = readonly [IPv4 | IPv6, number]

/** From the IANA IPv4 special-purpose registry, and the rows it lacks. */
const DENIED_4 = parseBlocks([
  '0.0.0.0/8', // this network; connects to localhost on Linux
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; Alibaba's metadata server
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; the metadata servers of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocols; Oracle's metadata server
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '168.63.129.16/32', // Azure's WireServer: a public address by every registry
])

/** The only block that IANA allocates as global unicast: addresses outside of it need no row. */
const GLOBAL_UNICAST = parseBlocks(['2000::/3'])
/** From the IANA IPv6 special-purpose registry, within the global unicast block. */
const DENIED_6 = parseBlocks([
  '2001::/23', // IETF protocols: Teredo, AMT, ORCHID, benchmarking
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: reaches IPv4 through a relay
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])
/** In the upper half of an ISATAP interface identifier (RFC 5214): the lower half is an IPv4 address. */
const ISATAP = 0x5efe
/** What that half has besides: whether the identifier is unique in the world. */
const ISATAP_GLOBAL = 0x0200

/** The address of strict dotted IPv4 or of IPv6 without a zone. A mapped one is the IPv4 one that is connected to. */
export function parseAddress(text: string): IPv4 | IPv6 | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text)
}

/** Whether the address is a public one; false for invalid text. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  return address !== undefined && isPublic(address)
}

function isPublic(address: IPv4 | IPv6): boolean {
  if (!('parts' in address)) return !isWithin(DENIED_4, address)
  if (!isWithin(GLOBAL_UNICAST, address) || isWithin(DENIED_6, address)) return false
  const [scope = 0, mark] = address.parts.slice(4)
  const isIsatap = mark === ISATAP && (scope === 0 || scope === ISATAP_GLOBAL)
  return !isIsatap || isPublic(ipaddr.fromByteArray(address.toByteArray().slice(12)))
}

function isWithin(blocks: readonly Block[], address: IPv4 | IPv6): boolean {
  return blocks.some(([start, length]) => address.match(start as never, length)) // of the same family, as the lists are
}

function parseBlocks(blocks: readonly string[]): readonly Block[] {
  return blocks.map((block) => ipaddr.parseCIDR(block))
}
