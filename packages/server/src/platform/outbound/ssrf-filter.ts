import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress, parseAddress } from '@recto/lib/network/address-ranges.ts'

/** All current addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** Thrown instead of connecting to a blocked address. */
export class AddressBlocked extends Error {
  readonly code = 'ADDRESS_BLOCKED'

  constructor() {
    super('The IP address of the receiver is not public')
    this.name = 'AddressBlocked'
  }
}

const OWN_FRESH_MS = 5_000

/** Whether an address is public and not one of this machine. */
export function createPublicCheck(): (address: string) => boolean {
  let own: ReadonlySet<string> = new Set()
  let read = Number.NEGATIVE_INFINITY
  return (text) => {
    if (!isPublicAddress(text)) return false
    if (performance.now() - read > OWN_FRESH_MS) {
      own = ownAddresses()
      read = performance.now()
    }
    const address = parseAddress(text)
    return address !== undefined && !own.has(address.toString())
  }
}

function ownAddresses(): ReadonlySet<string> {
  const foundAddresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return new Set(foundAddresses.map(({ address }) => String(parseAddress(address.replace(/%.*$/, '')))))
}

/** Resolves like the system (getaddrinfo). Concurrent lookups of a name share one result, and one of few threads. */
export function createResolver(): Resolve {
  const pending = new Map<string, Promise<readonly LookupAddress[]>>()
  return (host) => {
    const pendingLookup = pending.get(host)
    if (pendingLookup) return pendingLookup
    const lookingUp = lookup(host, { all: true }).finally(() => pending.delete(host))
    pending.set(host, lookingUp)
    return lookingUp
  }
}

/**
 * A `lookup` for a socket that resolves once, checks every address, and returns exactly those: there is no second
 * lookup, so DNS rebinding cannot change them. One blocked address blocks them all.
 */
export function filteredLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        if (!found.every(({ address }) => isAllowed(address))) return callback(new AddressBlocked(), [])
        const family = familyNumber(options.family)
        const fitting = found.filter((one) => family === 0 || one.family === family)
        const [first] = fitting
        if (!first) return callback(notFound(host), [])
        // Node requests all of them when it tries several at once.
        if (options.all) callback(null, [...fitting])
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, []),
    )
  }
}

/** 4, 6, or 0 for any. */
function familyNumber(family: LookupOptions['family']): number {
  if (family === 'IPv4') return 4
  return family === 'IPv6' ? 6 : (family ?? 0)
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })
}
