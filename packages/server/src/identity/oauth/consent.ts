import { type IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import type { InteractionResults, default as Provider } from 'oidc-provider'
import { appName, redirectTarget } from './client-metadata.ts'
import { type Consent, connectApp, declineApp, requireConnector } from './connections.ts'
import { fromHostCookies } from './cookies.ts'
import { type OauthScope, oauthScopesIn, parseAudience } from './scopes.ts'
import type { AuthorizationServer } from './start.ts'

/** An app that waits for the decision of a person. */
export interface PendingConsent extends Pick<Consent, 'client' | 'audience' | 'requestedScopes'> {
  /** The host of its metadata document, which proves where it is from; absent for an app that registered itself. */
  readonly host?: string
}

/** The decision of the person. */
export type Decision = Pick<Consent, 'scopes' | 'spaces'> | 'denied'

/** The authorization request that this browser started; throws `invalid_request` if there is none. */
export async function pendingConsent(
  server: AuthorizationServer,
  request: FastifyRequest,
  uid: string,
): Promise<PendingConsent> {
  requireConnector(request.ctx)
  const provider = await server.provider()
  const { params } = await findInteraction(provider, request, uid)
  const client = await provider.Client.find(String(params.client_id))
  if (!client) throw expired() // a registration that has expired in the meantime
  // A registration of an earlier version may have another one.
  if (!redirectTarget(String(params.redirect_uri))) throw forbiddenTarget()
  const audience = parseAudience(provider.issuer, [params.resource].flat().map(String)[0] ?? '')
  if (!audience) throw expired()
  const host = URL.parse(client.clientId)?.host
  return {
    client: { id: client.clientId, name: appName(client.clientName), redirectUri: String(params.redirect_uri) },
    audience,
    requestedScopes: oauthScopesIn(typeof params.scope === 'string' ? params.scope : undefined),
    ...(host !== undefined && host !== '' && { host }),
  }
}

/** Applies the decision of the person; returns the URL by which the browser is redirected to the app. */
export async function decideConsent(
  server: AuthorizationServer,
  request: FastifyRequest,
  uid: string,
  decision: Decision,
): Promise<string> {
  const { ctx } = request
  const { host: _, ...pending } = await pendingConsent(server, request, uid)
  if (decision === 'denied') {
    await declineApp(ctx, pending.client)
    return finish(server, request, uid, { error: 'access_denied', error_description: 'The person declined.' })
  }
  const scopes: OauthScope[] = pending.requestedScopes.filter((scope) => decision.scopes.includes(scope))
  if (scopes.length === 0) throw new AppError('invalid_request', 'The app did not ask for this.')
  const grantId = await connectApp(ctx, { ...pending, ...decision, scopes })
  return finish(server, request, uid, { login: { accountId: ctx.actor.id, remember: false }, consent: { grantId } })
}

async function finish(
  server: AuthorizationServer,
  request: FastifyRequest,
  uid: string,
  result: InteractionResults,
): Promise<string> {
  const provider = await server.provider()
  const response = unused(request)
  const merging = { mergeWithLastSubmission: false }
  return provider.interactionResult(withOwnCookies(request, uid), response, result, merging)
}

/** The request of the cookie of this browser only: a request that another browser started cannot be decided here. */
async function findInteraction(provider: Provider, request: FastifyRequest, uid: string) {
  const own = withOwnCookies(request, uid)
  const interaction = await provider.interactionDetails(own, unused(request)).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'SessionNotFound') return undefined
    throw error
  })
  if (interaction?.uid !== uid) throw expired()
  return interaction
}

/** The request as the provider reads it: with the cookies of this consent under their own names. */
function withOwnCookies({ raw, ctx, headers }: FastifyRequest, uid: string): IncomingMessage {
  const cookie = fromHostCookies(ctx.config.publicUrl, headers.cookie, uid)
  return Object.create(raw, { headers: { value: { ...headers, cookie } } })
}

/** The provider requires a response object as well, and only sets cookies on it. */
function unused({ raw }: FastifyRequest): ServerResponse {
  return new ServerResponse(raw)
}

function forbiddenTarget(): AppError {
  const detail = 'The app cannot be connected: its redirect URI is not allowed any more. It has to register again.'
  return new AppError('invalid_request', detail)
}

function expired(): AppError {
  const detail =
    'This request to connect an app has expired, or was started in another browser. Start again in the app.'
  return new AppError('invalid_request', detail)
}
