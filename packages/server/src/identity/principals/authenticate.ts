import { hash } from 'node:crypto'
import { AppError } from '@recto/contract/errors.ts'
import { isToken } from '@recto/lib/encoding/token.ts'
import { Lru } from '@recto/lib/lru.ts'
import type { Caller } from '../../access/caller.ts'
import type { Log } from '../../access/ctx.ts'
import { inRequest, RequestScope } from '../../platform/database/connections/request-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { findByAccessToken, findByKey, findByScimToken, findBySession } from '../credentials/find-caller.ts'
import type { FailedAuthentications } from './failed-authentications.ts'
import { createFailureLimiter } from './failure-limiter.ts'

export const KEY_PREFIX = 'svc_'
export const SESSION_PREFIX = 'ses_'
export const ACCESS_TOKEN_PREFIX = 'oat_'
export const SCIM_TOKEN_PREFIX = 'scim_'

interface Parts {
  readonly db: Db
  readonly log: Log
  /** For the audit log. */
  readonly failures: Pick<FailedAuthentications, 'add'>
}

/** Authenticates requests: keys, sessions and access tokens become a `Caller`. Cached for less than a second. */
export class Authenticator {
  readonly #parts: Parts
  readonly #throttle = createFailureLimiter()
  readonly #keys = createCredentialCache()
  readonly #sessions = createCredentialCache()
  readonly #accessTokens = createCredentialCache()
  readonly #scimTokens = createCredentialCache()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The caller of an `Authorization` header that was valid less than a second ago: most requests need no query. */
  recent(header: string): Caller | undefined {
    const credential = bearerToken(header)
    const cache = credential.startsWith(ACCESS_TOKEN_PREFIX) ? this.#accessTokens : this.#keys
    return cache.recent(toCacheId(credential))
  }

  /** The caller of an `Authorization` header; throws `unauthorized`, without a reason. */
  async byHeader(header: string, address: string): Promise<Caller> {
    const credential = bearerToken(header)
    if (!credential.startsWith(ACCESS_TOKEN_PREFIX)) {
      return this.#orUnauthorized(this.byKey(credential, address), address, 'The API key is not valid.')
    }
    const caller = this.#throttled(address, {
      cache: this.#accessTokens,
      secret: credential,
      isSound: isToken(ACCESS_TOKEN_PREFIX, credential),
      find: findByAccessToken,
    })
    return this.#orUnauthorized(caller, address, 'The access token is not valid, or has expired.')
  }

  /** The identity provider of an `Authorization` header with a SCIM token; throws `unauthorized`. */
  async byScimHeader(header: string, address: string): Promise<Caller> {
    const token = bearerToken(header)
    const detail = 'The SCIM token is not valid.'
    // Another credential, or a typing error: that is no guess.
    if (!isToken(SCIM_TOKEN_PREFIX, token)) throw unauthorized(detail, 'invalid_token')
    const lookup = { cache: this.#scimTokens, secret: token, isSound: true, find: findByScimToken }
    return this.#orUnauthorized(this.#throttled(address, lookup), address, detail)
  }

  /** The caller of a key; undefined if it is not valid. */
  byKey(key: string, address: string): Promise<Caller | undefined> {
    const isSound = isToken(KEY_PREFIX, key)
    return this.#throttled(address, { cache: this.#keys, secret: key, isSound, find: findByKey })
  }

  async bySession(token: string): Promise<Caller | undefined> {
    const { db, log } = this.#parts
    if (!isToken(SESSION_PREFIX, token)) return undefined
    return this.#sessions.get(toCacheId(token), () => findBySession(db, hashKey(token), log))
  }

  /** Invalidates the cached session, so that its next request looks it up again. */
  forgetSession(token: string): void {
    this.#sessions.forget(toCacheId(token))
  }

  /** Looks every credential up again: some have ended, or have other rights. */
  expireAll(): void {
    for (const cache of [this.#keys, this.#sessions, this.#accessTokens, this.#scimTokens]) cache.expireAll()
  }

  /**
   * Looks a secret up, and counts it for the address if it is not valid; further ones get 429. A valid one passes from
   * any address: nobody locks out who shares their address, and no key is ever locked. Its random digits are too many
   * to be guessed, at any rate.
   */
  async #throttled(address: string, { cache, secret, isSound, find }: Lookup): Promise<Caller | undefined> {
    const { db, log } = this.#parts
    const id = toCacheId(secret)
    // Concurrent requests with one secret are one attempt: they share one lookup.
    const isCounted = cache.wasValid(id) || cache.hasPendingLookup(id)
    const caller = isSound ? await cache.get(id, () => find(db, hashKey(secret), log)) : undefined
    if (caller || isCounted) return caller
    const end = await this.#throttle.begin(address)
    end(1)
    return undefined
  }

  async #orUnauthorized(lookup: Promise<Caller | undefined>, address: string, detail: string): Promise<Caller> {
    const { failures } = this.#parts
    const caller = await lookup.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'too_many_requests') failures.add(address, { throttled: true })
      throw error
    })
    if (caller) return caller
    failures.add(address, { throttled: false })
    throw unauthorized(detail, 'invalid_token')
  }
}

/** How a secret is looked up. */
interface Lookup {
  readonly cache: CredentialCache
  readonly secret: string
  /** Whether its checksum is right. */
  readonly isSound: boolean
  readonly find: (db: Db, hash: Buffer, log: Log) => Promise<Caller | undefined>
}

/** The token of an `Authorization` header (RFC 6750, 2.1); empty: there is none. */
function bearerToken(header: string): string {
  return /^Bearer +([!-~]+) *$/i.exec(header)?.[1] ?? ''
}

/** The SHA-256 under which a key, or the token of a session, is stored. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

/** RFC 6750, section 3: the challenge names an error only when a credential was sent. */
export function unauthorized(detail: string, error?: string): AppError {
  const challenge = `Bearer realm="recto"${error ? `, error="${error}"` : ''}`
  return new AppError('unauthorized', detail, { headers: { 'WWW-Authenticate': challenge } })
}

function toCacheId(secret: string): string {
  return hash('sha256', secret, 'base64')
}

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

type CredentialCache = ReturnType<typeof createCredentialCache>

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
