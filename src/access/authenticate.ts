import { createHash } from 'node:crypto'
import type { Db } from '../database/database.ts'
import { AppError } from '../errors.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { isToken } from '../lib/encoding/token.ts'
import type { Caller } from './caller.ts'
import { type CredentialCache, createCredentialCache } from './credentials/credential-cache.ts'
import type { Log } from './ctx.ts'
import { findByAccessToken, findByKey, findByScimToken, findBySession } from './credentials/find-caller.ts'
import type { FailedAuthentications } from './limits/failed-authentications.ts'
import { createFailureLimiter, type FailureLimiter } from './limits/failure-limiter.ts'

export const KEY_PREFIX = 'svc_'
export const SESSION_PREFIX = 'ses_'
export const ACCESS_TOKEN_PREFIX = 'oat_'
export const SCIM_TOKEN_PREFIX = 'scim_'

/** Authenticates requests. Keys, sessions and access tokens pass through one check: all become a `Caller`. */
export interface Authenticator {
  /** The caller of an `Authorization` header; throws `unauthorized`, without a reason. */
  byHeader(header: string, from: ClientAddress): Promise<Caller>
  /** The identity provider behind an `Authorization` header with the token of SCIM; throws `unauthorized`. */
  byScimHeader(header: string, from: ClientAddress): Promise<Caller>
  /** The caller of a key; undefined if it is not valid. */
  byKey(key: string, from: ClientAddress): Promise<Caller | undefined>
  /** The caller of a session's token; undefined if it is not valid. */
  bySession(token: string): Promise<Caller | undefined>
  /** Invalidates the cached session, so that its next request looks it up again. */
  forgetSession(token: string): void
}

interface Parts {
  readonly db: Db
  readonly log: Log
  /** For the audit log. */
  readonly failures: Pick<FailedAuthentications, 'add'>
}

/** Cached for less than a second, so that most requests need no query. */
export function createAuthenticator({ db, log, failures }: Parts): Authenticator {
  const throttle = createFailureLimiter()
  const keys = createCredentialCache()
  const sessions = createCredentialCache()
  const accessTokens = createCredentialCache()
  const scimTokens = createCredentialCache()
  const byKey = (key: string, from: ClientAddress) =>
    throttled(throttle, from, keys, idOf(key), isToken(KEY_PREFIX, key), () =>
      findByKey(db, hashKey(key), log),
    )
  const byAccessToken = (token: string, from: ClientAddress) =>
    throttled(throttle, from, accessTokens, idOf(token), isToken(ACCESS_TOKEN_PREFIX, token), () =>
      findByAccessToken(db, hashKey(token), log),
    )
  const byScimToken = (token: string, from: ClientAddress) =>
    throttled(throttle, from, scimTokens, idOf(token), true, () => findByScimToken(db, hashKey(token), log))
  async function orUnauthorized(
    lookup: Promise<Caller | undefined>,
    from: ClientAddress,
    detail: string,
  ): Promise<Caller> {
    const caller = await lookup.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'too_many_requests')
        failures.add(from.address, { throttled: true })
      throw error
    })
    if (caller) return caller
    failures.add(from.address, { throttled: false })
    throw unauthorized(detail, 'invalid_token')
  }

  return {
    byKey,
    byHeader(header, from) {
      const credential = bearerToken(header)
      return credential.startsWith(ACCESS_TOKEN_PREFIX)
        ? orUnauthorized(
            byAccessToken(credential, from),
            from,
            'The access token is not valid, or has expired.',
          )
        : orUnauthorized(byKey(credential, from), from, 'The API key is not valid.')
    },
    async byScimHeader(header, from) {
      const token = bearerToken(header)
      const detail = 'The token of SCIM is not valid.'
      // Another credential, or a typing error: that is no guess.
      if (!isToken(SCIM_TOKEN_PREFIX, token)) throw unauthorized(detail, 'invalid_token')
      return orUnauthorized(byScimToken(token, from), from, detail)
    },
    async bySession(token) {
      if (!isToken(SESSION_PREFIX, token)) return undefined
      return sessions.get(idOf(token), () => findBySession(db, hashKey(token), log))
    },
    forgetSession: (token) => sessions.forget(idOf(token)),
  }
}

/** The token of an `Authorization` header (RFC 6750, 2.1); empty: there is none. */
function bearerToken(header: string): string {
  return /^Bearer +([!-~]+) *$/i.exec(header)?.[1] ?? ''
}

/** The SHA-256 under which a key, or the token of a session, is stored. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** RFC 6750, section 3: the challenge names an error only when a credential was sent. */
export function unauthorized(detail: string, error?: string): AppError {
  const challenge = `Bearer realm="recto"${error ? `, error="${error}"` : ''}`
  return new AppError('unauthorized', detail, { headers: { 'WWW-Authenticate': challenge } })
}

/**
 * Looks a key up, unless the address has failed too often. A key that was valid a moment ago passes from any address:
 * nobody can lock out their neighbours, and no key is ever locked. Where many clients share one address, a key is
 * looked up before failures count: those of one client lock out none of the others.
 */
async function throttled(
  throttle: FailureLimiter,
  { address, shared }: ClientAddress,
  known: CredentialCache,
  id: string,
  sound: boolean,
  find: () => Promise<Caller | undefined>,
): Promise<Caller | undefined> {
  // Concurrent requests with one key are one attempt: they share one lookup.
  if (known.wasValid(id) || known.hasPendingLookup(id)) return known.get(id, find)
  if (shared) {
    const caller = sound ? await known.get(id, find) : undefined
    if (caller) return caller
    const end = await throttle.begin(address)
    end(1)
    return undefined
  }
  const end = await throttle.begin(address)
  try {
    const caller = sound ? await known.get(id, find) : undefined
    end(caller ? 0 : 1)
    return caller
  } catch (error) {
    // The lookup failed: that is no failure of the caller.
    end(0)
    throw error
  }
}

function idOf(secret: string): string {
  return hashKey(secret).toString('base64')
}
