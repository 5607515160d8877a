import { AppError } from '@recto/contract/errors.ts'
import { originOfHost } from '@recto/lib/network/own-origins.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Response as Injected } from 'light-my-request'
import type Provider from 'oidc-provider'
import type { Server } from '../../platform/http/server.ts'
import { createFailureLimiter } from '../principals/failure-limiter.ts'
import {
  redirectTarget,
  registeredMetadata,
  registrationSchema,
  SECRET_METHODS,
  secretExpiry,
} from './client-metadata.ts'
import { requireConnector } from './connections.ts'
import { fromHostCookies, toHostCookies } from './cookies.ts'
import { dispatch } from './dispatch.ts'
import { OAUTH_SCOPES, oauthScopesIn, resourceUrls, SIGN_IN_QUERY } from './scopes.ts'
import type { AuthorizationServer } from './start.ts'

const config = { public: true, isOauth: true }
const hiddenSchema = { hide: true }
const RESPONSE_MODE = 'query'
const FORM = 'application/x-www-form-urlencoded'
const MAX_FORM_BYTES = 64 * 1024
/** Hosted assistants register every connection of all their users from few addresses. */
const REGISTRATIONS = {
  maxFailures: 200,
  windowMs: 60 * 60_000,
  detail: 'Too many apps were registered from your address. Try again later.',
}
/** The headers that are copied from the response of the provider; this service sets the others. */
const PASSED_HEADERS = ['content-type', 'location', 'cache-control', 'www-authenticate'] as const

export interface OauthRouteOptions {
  readonly server: AuthorizationServer
  readonly origin: () => string
}

/** The authorization server (OAuth 2.1), and the documents by which clients discover it. */
export async function oauthRoutes(app: Server, options: OauthRouteOptions): Promise<void> {
  metadataRoutes(app, options)
  clientRoutes(app, options)
  authorizationRoutes(app, options)
}

/** Protected Resource Metadata (RFC 9728), and Authorization Server Metadata (RFC 8414). */
function metadataRoutes(app: Server, { server, origin }: OauthRouteOptions): void {
  for (const url of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    app.get(url, { config, schema: hiddenSchema }, async ({ host, originalUrl }, reply) =>
      reply.header('Cache-Control', 'public, max-age=300').send({
        // Clients compare it with the URL that they use (RFC 9728, section 3.3).
        resource: resourceUrls(originOfHost(host, origin()) ?? origin(), 'mcp')[
          originalUrl.endsWith(SIGN_IN_QUERY) ? 1 : 0
        ],
        authorization_servers: [origin()],
        scopes_supported: OAUTH_SCOPES,
        bearer_methods_supported: ['header'],
        resource_name: 'Recto',
        resource_documentation: `${origin()}/docs`,
      }),
    )
  }
  app.get('/oauth/jwks', { config, schema: hiddenSchema }, async (request, reply) =>
    sendInjected(reply, await pass(await server.provider(), request)),
  )
  app.get('/.well-known/oauth-authorization-server', { config, schema: hiddenSchema }, async (request, reply) => {
    const response = await pass(await server.provider(), request)
    const metadata = {
      ...response.json<object>(),
      // The provider names the scopes of OpenID Connect only, and modes that need a script in the browser.
      scopes_supported: [...OAUTH_SCOPES, 'offline_access'],
      response_modes_supported: [RESPONSE_MODE],
      // Absent, it would mean a secret (RFC 8414, section 2).
      revocation_endpoint_auth_methods_supported: ['none', ...SECRET_METHODS],
    }
    return reply.header('Cache-Control', 'public, max-age=300').send(metadata)
  })
}

/** The endpoints for apps: tokens, registration (RFC 7591) and revocation (RFC 7009). */
function clientRoutes(app: Server, { server }: OauthRouteOptions): void {
  const registrations = createFailureLimiter(undefined, REGISTRATIONS)
  app.addContentTypeParser(
    FORM,
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    async (_: FastifyRequest, body: string) => {
      if (body.includes('%00')) throw new AppError('invalid_request', 'The body must not contain NUL (%00).')
      return body
    },
  )
  for (const url of ['/oauth/token', '/oauth/revoke']) {
    app.post(url, { config, schema: hiddenSchema }, async (request, reply) =>
      sendInjected(reply, await pass(await server.provider(), request, { payload: String(request.body ?? '') })),
    )
  }
  app.post(
    '/oauth/register',
    { config, schema: { ...hiddenSchema, body: registrationSchema } },
    async (request, reply) => {
      // Every registration counts, not only those that fail.
      const countAttempt = await registrations.begin(request.ip)
      countAttempt(1)
      const forbiddenIndex = request.body.redirect_uris.findIndex((uri) => !redirectTarget(uri))
      if (forbiddenIndex !== -1) return reply.code(400).send(invalidRedirectUri(forbiddenIndex))
      const payload = JSON.stringify(registeredMetadata(request.body))
      const response = await pass(await server.provider(), request, { payload })
      return sendInjected(reply, response, response.statusCode === 201 ? withExpiry(response) : undefined)
    },
  )
}

/** The authorization endpoint for signed-in people in browsers: nobody else makes the server fetch documents. */
function authorizationRoutes(app: Server, { server }: OauthRouteOptions): void {
  const authorize = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.ctx.actor.sessionId === undefined) {
      throw new AppError('forbidden', 'Apps are connected in a browser: open this URL there, and sign in.')
    }
    requireConnector(request.ctx)
    checkResponseMode(request.url)
    const url = request.url.startsWith('/oauth/authorize/') ? request.url : withScope(request.url)
    const response = await pass(await server.provider(), request, { url })
    if (response.statusCode >= 400) throw rejected(response.json())
    const location = String(response.headers.location)
    // Before the consent anybody may have made this request, for a redirect URI that nobody has seen (RFC 9700,
    // 4.11.2).
    const isResumed = request.url.startsWith('/oauth/authorize/')
    if (!isResumed && !location.startsWith('/oauth/consent/')) throw rejected(paramsIn(location))
    const lines = [response.headers['set-cookie'] ?? []].flat()
    reply.header('set-cookie', toHostCookies(request.ctx.config.publicUrl, lines, request.headers.cookie))
    return sendInjected(reply, response)
  }
  const route = { config: { isOauth: true }, schema: hiddenSchema }
  app.get('/oauth/authorize', route, authorize)
  app.get('/oauth/authorize/:uid', route, authorize)
}

function checkResponseMode(url: string): void {
  const modes = new URLSearchParams(url.split('?', 2)[1]).getAll('response_mode')
  if (modes.every((mode) => mode === RESPONSE_MODE)) return
  const detail = `The app cannot be connected: \`response_mode\` must be \`${RESPONSE_MODE}\`.`
  throw new AppError('invalid_request', detail)
}

/**
 * A request names every scope that the consent screen offers, so that the person may choose any of them: those that the
 * scopes of the app include, and all for an app that requests none of ours.
 */
function withScope(url: string): string {
  const [path = '', search] = url.split('?', 2)
  const query = new URLSearchParams(search)
  const scopes = query.getAll('scope')
  if (scopes.length > 1) return url
  const ownScopes = oauthScopesIn(scopes[0])
  const words = scopes[0]?.split(' ').filter(Boolean) ?? []
  query.set('scope', [...new Set([...(ownScopes.length > 0 ? ownScopes : OAUTH_SCOPES), ...words])].join(' '))
  return `${path}?${query}`
}

function pass(
  provider: Provider,
  request: FastifyRequest,
  { url = request.url, payload }: { readonly url?: string; readonly payload?: string } = {},
): Promise<Injected> {
  const { authorization } = request.headers
  const { uid = '' } = request.params as { readonly uid?: string } // of the route, if it has one
  const cookie = fromHostCookies(provider.issuer, request.headers.cookie, uid)
  return dispatch(provider, {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    url,
    remoteAddress: request.ip,
    headers: {
      accept: 'application/json',
      cookie,
      authorization,
      ...(payload !== undefined && { 'content-type': request.headers['content-type'] ?? FORM }),
    },
    ...(payload !== undefined && { payload }),
  })
}

function sendInjected(
  reply: FastifyReply,
  response: Injected,
  body: string | Buffer = response.rawPayload,
): FastifyReply {
  reply.code(response.statusCode)
  for (const name of PASSED_HEADERS) {
    const value = response.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  return reply.send(body)
}

/** An authorization request of which the person is told, and not the app. */
function rejected({ error_description: reason }: { readonly error_description?: unknown }): AppError {
  const detail = typeof reason === 'string' ? reason : 'it is not valid'
  return new AppError('invalid_request', `The app cannot be connected: ${detail}.`)
}

/** The parameters in the query or the fragment, which the response type decides. */
function paramsIn(location: string): Readonly<Record<string, string>> {
  const { search = '', hash = '' } = URL.parse(location) ?? {}
  return Object.fromEntries(new URLSearchParams(`${search.slice(1)}&${hash.slice(1)}`))
}

function invalidRedirectUri(index: number) {
  const reason =
    'must be https, http of a loopback address, or a scheme with a dot such as com.example.app, ' +
    'without user information and wildcards'
  return { error: 'invalid_redirect_uri', error_description: `redirect_uris[${index}] ${reason}` }
}

/** The registration with the time at which its secret ends, if it has one: the provider has none that end. */
function withExpiry(response: Injected): string {
  const client = response.json<Record<string, unknown>>()
  const expiry = client.client_secret !== undefined && { client_secret_expires_at: secretExpiry(client) }
  return JSON.stringify({ ...client, ...expiry })
}
