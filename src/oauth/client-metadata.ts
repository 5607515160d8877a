import { type Static, Type } from 'typebox'
import { text } from '../http/bodies/text.ts'
import { oneOf } from '../http/schemas.ts'
import { isLoopbackName } from '../lib/network/own-origins.ts'
import { cleanLine } from '../lib/text/single-line.ts'

const MAX_REDIRECTS = 20
const MAX_NAME = 200

/** Client metadata of a registration (RFC 7591, section 2); other members are ignored, as the RFC requires. */
export const registrationSchema = Type.Object({
  redirect_uris: Type.Array(text({ maxLength: 2000 }), { minItems: 1, maxItems: MAX_REDIRECTS }),
  client_name: Type.Optional(text({ maxLength: MAX_NAME })),
  client_uri: Type.Optional(text({ maxLength: 2000 })),
  application_type: Type.Optional(oneOf(['web', 'native'])),
})

export type Registration = Static<typeof registrationSchema>

/**
 * The metadata under which a registration is stored: a public client for the authorization code flow. The server may
 * replace requested values (RFC 7591, section 3.2.1).
 */
export function registeredMetadata(given: Registration): Readonly<Record<string, unknown>> {
  const { redirect_uris, client_name, client_uri } = given
  return {
    redirect_uris,
    client_name: cleanLine(client_name ?? '') || 'An app without a name',
    ...(client_uri !== undefined && /^https?:\/\//.test(client_uri) && { client_uri }),
    application_type: applicationType(given.application_type, redirect_uris),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** A program listens on any port of this machine, or owns a scheme (RFC 8252): such a redirect URI makes a client native. */
export function applicationType(given: unknown, redirectUris: unknown): 'web' | 'native' {
  if (given === 'web' || given === 'native') return given
  const urls = Array.isArray(redirectUris) ? redirectUris.map((uri) => URL.parse(String(uri))) : []
  return urls.some((url) => url && url.protocol !== 'https:') ? 'native' : 'web'
}

/** The redirect URI of an app as text: never plain http to another machine. */
export function redirectTarget(
  uri: string,
): { readonly kind: 'web' | 'device' | 'scheme'; readonly name: string } | undefined {
  const url = URL.parse(uri)
  if (!url) return undefined
  if (url.protocol === 'https:') return { kind: 'web', name: url.host }
  if (url.protocol === 'http:')
    return isLoopbackName(url.hostname) ? { kind: 'device', name: url.host } : undefined
  return { kind: 'scheme', name: url.protocol.slice(0, -1) }
}

/** The displayed name of an app: without invisible characters, and of limited length. */
export function appName(name: string | undefined): string {
  const shown = cleanLine(name ?? '')
  const characters = [...shown.slice(0, 4 * MAX_NAME)]
  return characters.length <= 100 ? shown || 'An app without a name' : `${characters.slice(0, 100).join('')}…`
}
