import { Lru } from '@recto/lib/lru.ts'
import type { Caller } from '../../access/caller.ts'
import { inRequest, RequestScope } from '../../platform/database/connections/request-scope.ts'

/** How long an entry is valid: where a notice of another node is lost, a revoked credential may pass for this long. */
const FRESH_MS = 900
const MAX_KNOWN = 10_000

interface Known {
  readonly lookedUpAt: number
  readonly generation: number
  readonly caller: Promise<Caller | undefined>
  /** Whether the credential was valid when it was last looked up. */
  valid: boolean
  /** The result, once it is there. */
  found?: Caller
}

export type CredentialCache = ReturnType<typeof createCredentialCache>

/** Caches callers by the hash of their credential for less than a second, so that most requests need no query. */
export function createCredentialCache(clock: () => number = () => performance.now()) {
  const knownCredentials = new Lru<string, Known>({ maxWeight: MAX_KNOWN, weigh: () => 1 })
  let generation = 0

  function lookUp(id: string, find: () => Promise<Caller | undefined>, valid: boolean): Known {
    const lookedUpAt = clock()
    // In a scope of its own: requests that share it still get their answer when the client of the first one
    // disconnects.
    const caller = inRequest(new RequestScope({ readsOnly: true }), find)
    // Timed from before the lookup: a credential that is revoked during it expires in time.
    const entry: Known = { lookedUpAt, generation, caller, valid }
    knownCredentials.set(id, entry)
    const drop = () => knownCredentials.get(id) === entry && knownCredentials.delete(id)
    entry.caller.then((caller) => {
      if (!caller) return drop()
      entry.valid = true
      entry.found = caller
    }, drop)
    return entry
  }

  const freshEntry = (id: string) => {
    const entry = knownCredentials.get(id)
    const isFresh = entry && entry.generation === generation && clock() - entry.lookedUpAt < FRESH_MS
    return isFresh ? entry : undefined
  }

  return {
    /** Whether the credential was valid the last time that it was looked up here. */
    wasValid: (id: string) => knownCredentials.get(id)?.valid ?? false,
    /** Whether `get` would join a lookup that is pending or fresh. */
    hasPendingLookup: (id: string) => freshEntry(id) !== undefined,
    /** The caller of a valid credential whose lookup is fresh. */
    recent: (id: string) => freshEntry(id)?.found,
    /** The caller, from the cache or by `find`; concurrent requests share one lookup. */
    get: (id: string, find: () => Promise<Caller | undefined>) =>
      (freshEntry(id) ?? lookUp(id, find, knownCredentials.get(id)?.valid ?? false)).caller,
    forget: (id: string) => void knownCredentials.delete(id),
    /** Looks every credential up again, also those whose lookup is pending; that it was valid so far still counts. */
    expireAll: () => void generation++,
  }
}
