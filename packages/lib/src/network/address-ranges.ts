/** An IP address as a number of 32 or 128 bits, because it has many textual notations. */
export interface Address {
  readonly family: 4 | 6
  readonly value: bigint
}

interface Range {
  readonly bits: bigint
  readonly shift: bigint
}

/** From the IANA IPv4 special-purpose registry, and the rows it lacks. */
const DENIED_4 = ranges(32n, [
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
const GLOBAL_UNICAST = ranges(128n, ['2000::/3'])
/** From the IANA IPv6 special-purpose registry, within the global unicast block. */
const DENIED_6 = ranges(128n, [
  '2001::/23', // IETF protocols: Teredo, AMT, ORCHID, benchmarking
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: reaches IPv4 through a relay
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])
const V4_MAPPED = ranges(128n, ['::ffff:0:0/96'])
/** The upper half of an ISATAP interface identifier (RFC 5214): the lower half is an IPv4 address. */
const ISATAP = [0x0000_5efen, 0x0200_5efen]
const MASK_32 = 0xffff_ffffn

/** The address, or undefined for anything but strict dotted IPv4 or an IPv6 of RFC 4291 without a zone. */
export function parseAddress(text: string): Address | undefined {
  const family = text.includes(':') ? 6 : 4
  const value = family === 4 ? parse4(text) : parse6(text)
  return value === undefined ? undefined : { family, value }
}

/** Whether the address is a public one; false for invalid text. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  if (address === undefined) return false
  return address.family === 4 ? isPublic4(address.value) : isPublic6(address.value)
}

function isPublic4(value: bigint): boolean {
  return !isWithin(DENIED_4, value)
}

function isPublic6(value: bigint): boolean {
  const lower32 = value & MASK_32
  // The system connects to a mapped address over IPv4.
  if (isWithin(V4_MAPPED, value)) return isPublic4(lower32)
  if (!isWithin(GLOBAL_UNICAST, value) || isWithin(DENIED_6, value)) return false
  return !ISATAP.includes((value >> 32n) & MASK_32) || isPublic4(lower32)
}

function isWithin(list: readonly Range[], value: bigint): boolean {
  return list.some(({ bits, shift }) => value >> shift === bits)
}

/** No leading zeros, hexadecimal or short forms: other parsers read them as different addresses. */
function parse4(text: string): bigint | undefined {
  const parts = text.split('.', 5)
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined
  }
  return join(parts.map(BigInt), 8n)
}

function parse6(text: string): bigint | undefined {
  const halves = text.split('::', 3)
  const [head, tail] = halves.map((half, index) => groups(half, index === halves.length - 1))
  if (head === undefined || halves.length > 2) return undefined
  if (halves.length === 1) return head.length === 8 ? join(head, 16n) : undefined
  if (tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  return missing < 1 ? undefined : join([...head, ...Array<bigint>(missing).fill(0n), ...tail], 16n)
}

/** The groups of 16 bits on one side of `::`. The last two of an address may be written as dotted IPv4. */
function groups(half: string, isLast: boolean): readonly bigint[] | undefined {
  if (half === '') return []
  const parts = half.split(':', 9)
  const groupValues: bigint[] = []
  for (const [index, part] of parts.entries()) {
    const dottedValue = isLast && index === parts.length - 1 && part.includes('.') ? parse4(part) : undefined
    if (dottedValue !== undefined) groupValues.push(dottedValue >> 16n, dottedValue & 0xffffn)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groupValues.push(BigInt(`0x${part}`))
    else return undefined
  }
  return groupValues
}

function join(parts: readonly bigint[], width: bigint): bigint {
  return parts.reduce((value, part) => (value << width) | part, 0n)
}

function ranges(width: bigint, blocks: readonly string[]): readonly Range[] {
  return blocks.map((block) => {
    const [text = '', length = ''] = block.split('/')
    const address = parseAddress(text)
    if (address === undefined) throw new Error(`${block} is not a block of addresses`)
    const shift = width - BigInt(length)
    return { bits: address.value >> shift, shift }
  })
}
