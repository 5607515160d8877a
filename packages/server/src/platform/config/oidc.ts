import { isLoopbackName } from '@recto/lib/network/own-origins.ts'
import { Problem } from './parse.ts'

/** The settings of sign-in with an OpenID Connect provider. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly scope: string
  /** The claim whose values determine roles; absent: everybody is a member. */
  readonly roleClaim: string | undefined
  /** The claim with the names of the groups to which a sign-in adds the person. */
  readonly groupsClaim: string | undefined
  /** The role of each value of the claim; `*` is everybody. */
  readonly roles: ReadonlyMap<string, 'admin' | 'member'>
  /** The verified e-mail address of the person who becomes organisation admin. */
  readonly adminEmail: string | undefined
  /**
   * Whether a verified e-mail address of the provider identifies a person, so that their account and invitations are
   * theirs.
   */
  readonly trustsEmail: boolean
}

type OidcParts = { readonly [K in keyof OidcConfig]: OidcConfig[K] | undefined } & {
  readonly scope: string
  readonly roles: OidcConfig['roles']
  readonly trustsEmail: boolean
}

/** A provider needs its issuer and the client id of the service: one without the other is a mistake. */
export function oidcConfig({ issuer, clientId, ...rest }: OidcParts, problems: string[]): OidcConfig | undefined {
  if (issuer !== undefined && clientId !== undefined) return { issuer, clientId, ...rest }
  const values = [issuer, clientId, rest.clientSecret, rest.roleClaim, rest.groupsClaim, rest.adminEmail]
  if (values.some((value) => value !== undefined)) {
    problems.push('SVC_OIDC_*: SVC_OIDC_ISSUER and SVC_OIDC_CLIENT_ID are both needed to sign people in so')
  }
  return undefined
}

/** The issuer of the provider (OpenID Connect Discovery 1.0, section 2). */
export function issuer(text: string): string | Problem {
  const url = URL.parse(text)
  const loopback = url && isLoopbackName(url.hostname)
  const fits = url && (url.protocol === 'https:' || (url.protocol === 'http:' && loopback))
  return fits && !url.search && !url.hash && !url.username
    ? text
    : new Problem('must be the https address of an issuer (http only on this machine)')
}

/** The scopes that are requested. */
export function oidcScope(text: string): string | Problem {
  return text.split(/\s+/).includes('openid') ? text : new Problem('must hold the scope openid')
}

/** The roles of the values of the claim. */
export function oidcRoles(text: string): OidcConfig['roles'] | Problem {
  const roles = new Map<string, 'admin' | 'member'>()
  for (const pair of text.split(',')) {
    const [, value, role] = /^\s*(.+?)\s*=\s*(admin|member)\s*$/.exec(pair) ?? []
    if (value === undefined) return new Problem('must be pairs such as wiki-admins=admin,*=member')
    roles.set(value, role === 'admin' ? 'admin' : 'member')
  }
  return roles
}
