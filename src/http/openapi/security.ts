import type { DescribedRoute } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that the credential needs, where it is not `read` for a read and `write` for a write. */
    scope?: 'read' | 'write' | 'admin'
  }
}

/** The scopes of connected apps: none may administer. */
const OAUTH_SCOPES: Readonly<Record<string, string>> = {
  read: 'Read what you can read.',
  write: 'Change pages, files and metadata, too.',
}

/** The credentials of requests. */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, `svc_…`. The scopes of an operation are those that the key needs.',
  },
  oauth: {
    type: 'oauth2',
    description: 'An access token of a connected app.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/oauth/authorize',
        tokenUrl: '/oauth/token',
        refreshUrl: '/oauth/token',
        scopes: OAUTH_SCOPES,
      },
    },
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-svc_session',
    description:
      'The session of a browser, from the pages of this service only; changes need its CSRF token in `X-CSRF-Token`.',
  },
} as const

/** The alternative credentials of a route with their scopes; each scope includes the ones before it. */
export function securityOf(route: DescribedRoute): Record<string, string[]>[] {
  if (route.config.public) return []
  const scope = scopeOf(route)
  return [{ apiKey: [scope] }, ...(scope in OAUTH_SCOPES ? [{ oauth: [scope] }] : []), { session: [] }]
}

/** Administering the organisation needs `admin`. */
function scopeOf({ method, url, config }: DescribedRoute): string {
  if (config.scope) return config.scope
  if (url.startsWith('/admin/')) return 'admin'
  return method === 'GET' ? 'read' : 'write'
}
