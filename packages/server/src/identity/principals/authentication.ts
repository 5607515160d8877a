import type { AppError } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, toVisitor } from '../../access/caller.ts'
import type { Runtime } from '../../access/ctx.ts'
import { currentRequest } from '../../platform/database/connections/request-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { accepts } from '../../platform/http/negotiate.ts'
import { Reauthorization } from '../rights/reauthorization.ts'
import { rejectCrossSite } from '../sessions/cross-site.ts'
import { expectCsrfToken } from '../sessions/csrf.ts'
import { cookieIn, sessionCookieName } from '../sessions/session-cookie.ts'
import { type Authenticator, unauthorized } from './authenticate.ts'
import { network } from './failure-limiter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route needs no credential. */
    public?: boolean
    /** Whether the route answers without a credential, too; then there is no `ctx`. */
    optionalCredential?: boolean
    /** Callers without an account read public spaces by it, with these query parameters alone. */
    visitors?: readonly string[]
    /** Whether the route takes access tokens whose resource is MCP. */
    isMcp?: boolean
    /** Whether the route takes the SCIM token, and nothing else. */
    isScim?: boolean
  }
  interface FastifyRequest {
    /** Authenticates again after a wait: throws `unauthorized` if the credential has ended, or updates its rights. */
    reauthenticate(): Promise<void>
  }
}

/** Keys, accounts, administration, the audit log and members: no cache may store these, not even the browser's. */
const SENSITIVE =
  /^\/(?:me|account|admin|manage|oauth|scim)(?:\/|$)|^\/spaces\/:space\/(?:members|groups|settings|invitations)|^\/settings\/:slug\/invitations/

/** The order of the change feed is that of the primary, and outcomes of webhooks are committed asynchronously. */
const PRIMARY_ONLY = /^\/(?:changes|mcp|webhooks)(?:\/|$)/

/** Whether replicas may serve the request. Accounts, keys and members are rarely read. */
function readsReplicas(method: string, url: string): boolean {
  return (method === 'GET' || method === 'HEAD') && !SENSITIVE.test(url) && !PRIMARY_ONLY.test(url)
}

export interface AuthenticationDeps {
  readonly authenticator: Authenticator
  /** The handle of read-only requests: replicas may serve them. */
  readonly readDb: Db
}

/** Every route without `public` needs a credential: one hook for all of them. */
export function authenticateRequests(
  runtime: Omit<FastifyRequest['ctx'], 'actor'>,
  { authenticator, readDb }: AuthenticationDeps,
) {
  const authenticate = async (request: FastifyRequest) => {
    const began = performance.now()
    const actor = (await identifyCaller(request, runtime, authenticator)) ?? findVisitor(request, runtime)
    // The lookup may have been started by another request that this one waited for.
    currentRequest()?.waited(began)
    return actor
  }
  const setContext = (request: FastifyRequest, reply: FastifyReply, actor: Caller) => {
    checkAudience(actor, request)
    protectSession(request, reply, actor, runtime.config.publicUrl)
    // The default: a response is for one caller, and shared caches do not know cookies.
    const isSensitive = SENSITIVE.test(request.routeOptions.url ?? '')
    reply.header('Cache-Control', isSensitive ? 'no-store' : 'private, no-cache')
    request.ctx = buildContext(request, actor, runtime, readDb)
    if (request.scope) request.scope.principalId = actor.id
  }
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const actor = await authenticate(request)
    if (actor) setContext(request, reply, actor)
    return actor || request.routeOptions.config.optionalCredential ? undefined : sendToSignIn(request, reply)
  }
  return {
    authenticate: (request: FastifyRequest, reply: FastifyReply): Promise<unknown> | undefined => {
      if (request.routeOptions.config.public || request.is404) return undefined
      const recent = recentCaller(request, authenticator)
      if (!recent) return admit(request, reply)
      setContext(request, reply, recent)
      return undefined
    },
    async reauthenticate(this: FastifyRequest): Promise<void> {
      const actor = await authenticate(this)
      if (!actor) throw unauthorized('The session has ended.')
      this.ctx = { ...this.ctx, actor, ...buildReauthorization(this, this.ctx.db, actor) }
    },
  }
}

/** Authenticates the sender of a body again, which may have taken half a minute; mostly from the cache. */
export function reauthenticateAfterBody(request: FastifyRequest): Promise<void> | undefined {
  return request.ctx && request.body !== undefined ? request.reauthenticate() : undefined
}

/** Requests of a session that write need the CSRF token of the session. */
function protectSession(request: FastifyRequest, reply: FastifyReply, actor: Caller, publicUrl: string): void {
  const token = actor.sessionId === undefined ? undefined : readSessionToken(request, publicUrl)
  if (token !== undefined) expectCsrfToken(request, reply, { token, publicUrl })
}

function buildContext(
  request: FastifyRequest,
  actor: Caller,
  runtime: Omit<FastifyRequest['ctx'], 'actor'>,
  readDb: Db,
): FastifyRequest['ctx'] {
  const db = readsReplicas(request.method, request.routeOptions.url ?? '') ? readDb : runtime.db
  const reauthorization = buildReauthorization(request, db, actor)
  const via = actor.app && { via: actor.app.connectionId }
  return { ...runtime, db, actor, address: request.ip, ...reauthorization, ...via }
}

/** The requests of an identity provider are short, and its token is none of a caller's credentials. */
function buildReauthorization(request: FastifyRequest, db: Db, actor: Caller) {
  if (request.routeOptions.config.isScim) return {}
  return { reauthorization: new Reauthorization({ db, actor }) }
}

/** An access token counts only at the resource that it is for (RFC 8707). */
function checkAudience({ app }: Caller, { routeOptions }: FastifyRequest): void {
  if (app?.audience !== 'mcp' || routeOptions.config.isMcp) return
  throw unauthorized('This access token is for MCP only.', 'invalid_token')
}

/** Redirects a person in a browser; others get the error. */
export function sendToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!browses(request)) throw credentialNeeded()
  const next = encodeURIComponent(request.originalUrl)
  return reply
    .header('Cache-Control', 'no-store')
    .header('Vary', 'Accept, Cookie, Sec-Fetch-Mode')
    .redirect(`/sign-in?next=${next}`, 303)
}

/** The error for a request without a credential. */
export function credentialNeeded(): AppError {
  return unauthorized('This needs an API key: send `Authorization: Bearer <key>`.')
}

/** The token of the browser's session, if it sent one. */
export function readSessionToken(request: FastifyRequest, publicUrl: string): string | undefined {
  return cookieIn(request.headers.cookie, sessionCookieName(publicUrl))
}

/** The caller whose key or access token was looked up just now. */
function recentCaller(request: FastifyRequest, authenticator: Authenticator): Caller | undefined {
  const { authorization } = request.headers
  if (authorization === undefined || request.routeOptions.config.isScim) return undefined
  return authenticator.recent(authorization)
}

/** Authenticates the request. A cookie does not count for cross-site requests, since browsers attach it to any. */
async function identifyCaller(
  request: FastifyRequest,
  { config }: Runtime,
  authenticator: Authenticator,
): Promise<Caller | undefined> {
  const { authorization } = request.headers
  if (request.routeOptions.config.isScim) {
    if (authorization === undefined) {
      throw unauthorized('This needs the SCIM token: send `Authorization: Bearer <token>`.')
    }
    return authenticator.byScimHeader(authorization, request.ip)
  }
  if (authorization !== undefined) return authenticator.byHeader(authorization, request.ip)
  const token = readSessionToken(request, config.publicUrl)
  const caller = token === undefined ? undefined : await authenticator.bySession(token)
  if (caller) rejectCrossSite(request, config.publicUrl)
  return caller
}

/** The caller without a credential, where the route has such readers; parameters for accounts are not for them. */
function findVisitor(request: FastifyRequest, { config }: Pick<Runtime, 'config'>): Caller | undefined {
  const parameters = request.routeOptions.config.visitors
  if (!config.publicSpaces || !parameters) return undefined
  const names = Object.keys(request.query as object) // parsed with the URL
  return names.every((name) => parameters.includes(name)) ? toVisitor(network(request.ip)) : undefined
}

/** Whether a person waits for a page: a browser that navigates, or a client that names HTML in Accept. */
function browses(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  if (request.headers['sec-fetch-mode'] === 'navigate') return true
  return accepts(request, 'text/html')
}
