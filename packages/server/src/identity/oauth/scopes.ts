import { ownOrigins } from '@recto/lib/network/own-origins.ts'

/** The scopes of apps: `admin` is for keys only. */
export const OAUTH_SCOPES = ['read', 'propose', 'write'] as const
export type OauthScope = (typeof OAUTH_SCOPES)[number]

/** The resources (RFC 8707) of access tokens: MCP alone, or the whole API. */
export type Audience = 'mcp' | 'api'

/** Parses a space-separated list of scopes, each with those that it includes; unknown scopes are ignored. */
export function oauthScopesIn(words: string | undefined): OauthScope[] {
  const scopeNames = new Set(words?.split(' '))
  return OAUTH_SCOPES.slice(0, OAUTH_SCOPES.findLastIndex((scope) => scopeNames.has(scope)) + 1)
}

/** The query of the URL of MCP by which clients sign in where `/mcp` serves callers without an account, too. */
export const SIGN_IN_QUERY = '?sign-in'

/** The URLs that name a resource, the canonical one first. */
export function resourceUrls(origin: string, audience: Audience): readonly string[] {
  return ownOrigins(origin).flatMap((own) =>
    audience === 'mcp' ? [`${own}/mcp`, `${own}/mcp${SIGN_IN_QUERY}`] : [own, `${own}/`],
  )
}

/** The audience that a resource indicator names. */
export function parseAudience(origin: string, resource: string): Audience | undefined {
  return (['mcp', 'api'] as const).find((audience) => resourceUrls(origin, audience).includes(resource))
}
