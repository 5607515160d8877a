import { isLoopbackName } from '@recto/lib/network/own-origins.ts'
import { cleanLine } from '@recto/lib/text/single-line.ts'
import { type Static, Type } from 'typebox'
import { enumSchema, text } from '../../platform/http/schemas.ts'

const MAX_REDIRECTS = 20
const MAX_NAME = 200
const SECRET_SECONDS = 365 * 24 * 3600
/** Printable ASCII without a wildcard, and without what URL parsers read in different ways. */
const PLAIN_URI = /^[!-~]+$/
const AMBIGUOUS = /[*\\]|%2a/i
/** A private-use scheme is a reversed domain name (RFC 8252, section 7.1): schemes of the system have no dot. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/
/** Schemes without a dot by which known programs receive codes. */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set([
  ...['claude', 'cursor', 'goose', 'jetbrains', 'kiro', 'lmstudio', 'raycast', 'vscode', 'vscode-insiders'],
  ...['vscodium', 'warp', 'windsurf', 'windsurf-next', 'zed'],
])
/** Ways in which an app with a secret sends it to the token endpoint (RFC 7591, section 2). */
export const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const

/** Client metadata of a registration (RFC 7591, section 2); other members are ignored, as the RFC requires. */
export const registrationSchema = Type.Object({
  redirect_uris: Type.Array(text({ maxLength: 2000 }), { minItems: 1, maxItems: MAX_REDIRECTS }),
  client_name: Type.Optional(text({ maxLength: MAX_NAME })),
  client_uri: Type.Optional(text({ maxLength: 2000 })),
  application_type: Type.Optional(enumSchema(['web', 'native'])),
  token_endpoint_auth_method: Type.Optional(text({ maxLength: 100 })),
})

export type Registration = Static<typeof registrationSchema>

/**
 * The metadata under which a registration is stored: a client for the authorization code flow, public unless it asks
 * for a secret. The server may replace requested values (RFC 7591, section 3.2.1).
 */
export function registeredMetadata(registration: Registration): Readonly<Record<string, unknown>> {
  const { redirect_uris, client_name, client_uri } = registration
  return {
    redirect_uris,
    client_name: cleanLine(client_name ?? '') || 'An app without a name',
    ...(client_uri !== undefined && /^https?:\/\//.test(client_uri) && { client_uri }),
    application_type: applicationType(registration.application_type, redirect_uris),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method:
      SECRET_METHODS.find((method) => method === registration.token_endpoint_auth_method) ?? 'none',
  }
}

/** When the secret of a registered app ends, in seconds (RFC 7591, section 3.2.1); the app then registers again. */
export function secretExpiry(metadata: { readonly client_id_issued_at?: unknown }): number {
  return Number(metadata.client_id_issued_at) + SECRET_SECONDS
}

/** A program listens on a port of this machine, or owns a scheme (RFC 8252): such a redirect URI is native. */
export function applicationType(requestedType: unknown, redirectUris: unknown): 'web' | 'native' {
  if (requestedType === 'web' || requestedType === 'native') return requestedType
  const urls = Array.isArray(redirectUris) ? redirectUris.map((uri) => URL.parse(String(uri))) : []
  return urls.some((url) => url && url.protocol !== 'https:') ? 'native' : 'web'
}

/**
 * Where a redirect URI leads; undefined if it is not allowed: plain http to another machine, whatever the type of the
 * app is, a scheme that may start any program, user information and wildcards (RFC 8252, RFC 9700).
 */
export function redirectTarget(
  uri: string,
): { readonly kind: 'web' | 'device' | 'scheme'; readonly name: string } | undefined {
  const url = PLAIN_URI.test(uri) && !AMBIGUOUS.test(uri) ? URL.parse(uri) : null
  if (url?.username !== '' || url.password !== '') return undefined
  if (url.protocol === 'https:') return { kind: 'web', name: url.host }
  if (url.protocol === 'http:') return isLoopbackName(url.hostname) ? { kind: 'device', name: url.host } : undefined
  const name = url.protocol.slice(0, -1)
  return KNOWN_SCHEMES.has(name) || PRIVATE_SCHEME.test(name) ? { kind: 'scheme', name } : undefined
}

/** The displayed name of an app: without invisible characters, and of limited length. */
export function appName(name: string | undefined): string {
  const displayName = cleanLine(name ?? '')
  const characters = [...displayName.slice(0, 4 * MAX_NAME)]
  return characters.length <= 100
    ? displayName || 'An app without a name'
    : `${cleanLine(characters.slice(0, 100).join(''))}…`
}
