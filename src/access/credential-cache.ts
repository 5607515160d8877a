import { Lru } from '../lib/lru.ts'
import type { Caller } from './caller.ts'

/** A known credential is asked for again after this time: so long may a revoked one still pass. */
const FRESH_MS = 900
const MAX_KNOWN = 10_000

interface Known {
  readonly asked: number
  readonly caller: Promise<Caller | undefined>
  /** Whether the credential was valid when it was last looked up. */
  valid: boolean
}

/** Callers by the hash of their credential, kept for less than a second, so that most requests ask nothing. */
export interface CredentialCache {
  /** Whether the credential was valid the last time that it was looked up here. */
  wasValid(id: string): boolean
  /** Whether somebody asks for the credential right now, so that another request only waits for the answer. */
  isAsked(id: string): boolean
  /** The caller, from memory or by `find`; requests at the same time ask once. */
  get(id: string, find: () => Promise<Caller | undefined>): Promise<Caller | undefined>
  forget(id: string): void
}

export function createCredentialCache(clock: () => number = () => performance.now()): CredentialCache {
  const known = new Lru<string, Known>({ maxWeight: MAX_KNOWN, weigh: () => 1 })

  function ask(id: string, find: () => Promise<Caller | undefined>, valid: boolean): Known {
    // The time is taken before the question: what is revoked while it is under way is still found in time.
    const entry: Known = { asked: clock(), caller: find(), valid }
    known.set(id, entry)
    const drop = () => known.get(id) === entry && known.delete(id)
    entry.caller.then((caller) => {
      if (caller) entry.valid = true
      else drop()
    }, drop)
    return entry
  }

  return {
    wasValid: (id) => known.get(id)?.valid ?? false,
    isAsked(id) {
      const entry = known.get(id)
      return entry !== undefined && clock() - entry.asked < FRESH_MS
    },
    get(id, find) {
      const before = known.get(id)
      if (before && clock() - before.asked < FRESH_MS) return before.caller
      return ask(id, find, before?.valid ?? false).caller
    },
    forget: (id) => void known.delete(id),
  }
}
