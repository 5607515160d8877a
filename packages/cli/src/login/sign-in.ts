/**
 * Signing in by a browser: OAuth 2.1 for native apps (RFC 8252) with a loopback redirect and PKCE, at the authorization
 * server of the service. The library `openid-client` speaks the protocol.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oidc from 'openid-client'
import { CommandError } from '../command.ts'
import type { SignIn } from './profiles.ts'

const CALLBACK = '/callback'
const SIGN_IN_TIMEOUT_MS = 300_000
const PAGE = (title: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta ` +
  `name="color-scheme" content="light dark"><title>Recto</title><body style="font:1.1rem/1.5 ` +
  `system-ui;max-width:30rem;margin:4rem auto;padding:0 1rem"><h1>${title}</h1><p>You can close this window and ` +
  `return to the terminal.</p>`

/** Registers as an app, passes the URL of the consent screen to `show`, and resolves when the browser has returned. */
export async function signIn(url: string, show: (url: string) => void): Promise<SignIn> {
  const receiver = await receiveRedirect()
  try {
    const metadata = { client_name: 'Recto command line', redirect_uris: [receiver.url], application_type: 'native' }
    const app = await oidc.dynamicClientRegistration(new URL(url), metadata, oidc.None(), optionsFor(url))
    const [pkceCodeVerifier, expectedState] = [oidc.randomPKCECodeVerifier(), oidc.randomState()]
    const resource = app.serverMetadata().issuer
    const authorization = oidc.buildAuthorizationUrl(app, {
      redirect_uri: receiver.url,
      scope: 'read propose write',
      resource,
      state: expectedState,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    show(authorization.href)
    const checks = { pkceCodeVerifier, expectedState }
    const tokens = await oidc.authorizationCodeGrant(app, await receiver.redirected, checks, { resource })
    return toSignIn(app.clientMetadata().client_id, tokens)
  } finally {
    receiver.close()
  }
}

/** New tokens for those that have expired; undefined if the sign-in has ended. */
export async function refreshSignIn(url: string, { clientId, refreshToken }: SignIn): Promise<SignIn | undefined> {
  try {
    return toSignIn(clientId, await oidc.refreshTokenGrant(await discoverApp(url, clientId), refreshToken))
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return undefined
    throw error
  }
}

/** Why a sign-in failed: what the service said to the browser, else the message of the failed request. */
export function signInErrorText(error: Error): string {
  if (error instanceof oidc.AuthorizationResponseError) return error.error_description ?? error.error
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** Ends a sign-in: the service disconnects the app. */
export async function endSignIn(url: string, { clientId, refreshToken }: SignIn): Promise<void> {
  await oidc.tokenRevocation(await discoverApp(url, clientId), refreshToken)
}

function discoverApp(url: string, clientId: string): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(url), clientId, undefined, oidc.None(), optionsFor(url))
}

/** Plain http is for a service on this machine or in a private network; the URL is the user's choice. */
function optionsFor(url: string) {
  return { algorithm: 'oauth2' as const, ...(url.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }) }
}

function toSignIn(clientId: string, tokens: oidc.TokenEndpointResponse): SignIn {
  const { access_token, refresh_token, expires_in = 0 } = tokens
  if (refresh_token === undefined) throw new CommandError('the service issued no refresh token')
  return {
    clientId,
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: new Date(Date.now() + expires_in * 1_000).toISOString(),
  }
}

/** A server on a free port of this machine that receives the redirect of the authorization server. */
async function receiveRedirect() {
  const { promise: redirectUrl, resolve, reject } = Promise.withResolvers<URL>()
  // An error before the redirect is awaited has been reported then.
  redirectUrl.catch(() => {})
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', address())
    if (url.pathname !== CALLBACK) return void response.writeHead(404).end()
    const title = url.searchParams.has('error') ? 'Not signed in' : 'Back to Recto'
    response.writeHead(200, { 'Content-Type': 'text/html', Connection: 'close' }).end(PAGE(title))
    resolve(url)
  })
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const timer = setTimeout(() => reject(new CommandError('nobody signed in within 5 minutes')), SIGN_IN_TIMEOUT_MS)
  return {
    url: `${address()}${CALLBACK}`,
    redirected: redirectUrl,
    close() {
      clearTimeout(timer)
      server.close()
      server.closeIdleConnections()
    },
  }
}
