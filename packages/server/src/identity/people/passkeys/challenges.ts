import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { AppError } from '@recto/contract/errors.ts'
import type { Runtime } from '../../../access/ctx.ts'

/** How long a person may take to use the passkey. */
export const CHALLENGE_SECONDS = 5 * 60

type Deps = Pick<Runtime, 'cursors' | 'now'>

/** A URL with `localhost` in place of the loopback address, for passkeys. */
function byHostName(url: string): string {
  return url.replace(/^http:\/\/(127\.0\.0\.1|\[::1\])(?=[:/]|$)/, 'http://localhost')
}

/**
 * The relying party of passkeys (WebAuthn, section 4), the host and the origin of this service; undefined for an IP
 * address, which WebAuthn does not allow. A service that listens on this machine only is `localhost` to its browsers.
 */
export function toRelyingParty(publicUrl: string) {
  const { hostname, origin } = new URL(byHostName(publicUrl))
  return isIP(hostname) !== 0 || hostname.startsWith('[') ? undefined : { id: hostname, origin }
}

/** The same; throws if passkeys are not possible. */
export function requireRelyingParty(publicUrl: string) {
  const party = toRelyingParty(publicUrl)
  if (party) return party
  const detail = 'Passkeys need a host name: open Recto by its name, not by an IP address (SVC_PUBLIC_URL).'
  throw new AppError('invalid_request', detail)
}

/**
 * A new challenge for one purpose, such as the registration in one session, and its encrypted form for a cookie: with
 * its purpose, its time, and the id of an account to be set up. Only used ones are stored.
 */
export function newChallenge({ cursors, now }: Deps, purpose: string, accountId = '') {
  const challenge = randomBytes(32).toString('base64url')
  const expires = now().getTime() + CHALLENGE_SECONDS * 1000
  return { challenge, sealed: cursors.seal(`passkey/${purpose}`, [challenge, expires, accountId]) }
}

/** The challenge of this purpose in a cookie; undefined if it has another purpose, was changed, or has expired. */
export function openChallenge({ cursors, now }: Deps, purpose: string, sealedChallenge: string | undefined) {
  const [challenge, expires, accountId] = (sealedChallenge && cursors.open(`passkey/${purpose}`, sealedChallenge)) || []
  if (typeof challenge !== 'string' || typeof expires !== 'number' || expires <= now().getTime()) return undefined
  return { challenge, accountId: accountId ? String(accountId) : undefined }
}
