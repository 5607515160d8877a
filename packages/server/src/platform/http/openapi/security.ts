import type { DescribedRoute } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that the credential needs, where it is not `read` for a read and `write` for a write. */
    scope?: 'read' | 'propose' | 'write' | 'admin'
  }
}

/** The scopes of connected apps: none may administer. */
const OAUTH_SCOPES: Readonly<Record<string, string>> = {
  read: 'Read what you can read.',
  propose: 'Propose changes, too, which others review.',
  write: 'Change pages, files and metadata, too.',
}

/** The credentials of requests. */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, `svc_…`. `x-scope` of an operation is the scope that the key needs: ' +
      '`read`, `propose`, `write` or `admin`, each with those before it.',
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

/** The member of an operation with the scope that its key needs: only OAuth has scopes in `security` for all tools. */
export const SCOPE = 'x-scope'

/** The alternative credentials of a route. */
export function listCredentials(route: DescribedRoute): Record<string, string[]>[] {
  if (route.config.public) return []
  const scope = findScope(route)
  const none = route.config.visitors ? [{}] : [] // in public spaces
  return [{ apiKey: [] }, ...(scope in OAUTH_SCOPES ? [{ oauth: [scope] }] : []), { session: [] }, ...none]
}

/** The scope that the credential of a route needs; administering the organisation needs `admin`. */
export function findScope({ method, url, config }: DescribedRoute): string {
  if (config.scope) return config.scope
  if (url.startsWith('/admin/')) return 'admin'
  return method === 'GET' ? 'read' : 'write'
}
