import { AppError, retryLater } from '@recto/contract/errors.ts'
import * as openid from 'openid-client'
import type { Log } from '../../access/ctx.ts'
import type { OidcConfig } from '../../platform/config/oidc.ts'
import type { Claims } from './oidc-roles.ts'

/** The state that the browser keeps during the redirect to the provider and back. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly next: string
}

/** A person that the provider has authenticated. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}

export type Oidc = ReturnType<typeof createOidc>

const TIMEOUT_SECONDS = 10

/** Client of the provider: code flow with PKCE, state and nonce. Discovery at the first sign-in, or after a failure. */
export function createOidc(config: OidcConfig, log: Log) {
  let provider: Promise<openid.Configuration> | undefined
  const connect = () => {
    provider ??= discover(config).catch((error) => {
      provider = undefined
      throw unavailable(error, log)
    })
    return provider
  }

  return {
    config,
    /**
     * The authorization URL to which the browser is redirected, and the state that it keeps. `maxAge`: the most seconds
     * since the person signed in at the provider; it asks again after that.
     */
    async authorizationUrl(redirectUri: string, next: string, maxAge?: number) {
      const attempt = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
        next,
      }
      const url = openid.buildAuthorizationUrl(await connect(), {
        redirect_uri: redirectUri,
        scope: config.scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...(maxAge !== undefined && { max_age: String(maxAge) }),
      })
      return { url: url.href, attempt }
    },
    /** The authenticated person; throws `sign_in_failed` if anything does not match. */
    async handleCallback(url: URL, attempt: Attempt): Promise<Identity> {
      const client = await connect()
      try {
        return await identityFrom(client, url, attempt)
      } catch (error) {
        log.warn({ err: error }, 'a sign-in through the identity provider failed')
        throw new AppError('sign_in_failed', 'The identity provider did not sign you in: start again.', {
          cause: error,
        })
      }
    },
  }
}

async function discover(config: OidcConfig): Promise<openid.Configuration> {
  const { clientId, clientSecret } = config
  const issuer = new URL(config.issuer)
  // The configuration accepts http only for a provider on this machine.
  const execute = issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : []
  const options = { execute, timeout: TIMEOUT_SECONDS }
  const configuration = await openid.discovery(issuer, clientId, undefined, openid.None(), options)
  if (clientSecret === undefined) return configuration
  const methods = configuration.serverMetadata().token_endpoint_auth_methods_supported
  const basic = methods === undefined || methods.includes('client_secret_basic')
  const authentication = basic ? openid.ClientSecretBasic(clientSecret) : openid.ClientSecretPost(clientSecret)
  return openid.discovery(issuer, clientId, clientSecret, authentication, options)
}

/** The claims of the ID token, with those of the userinfo endpoint. */
async function identityFrom(client: openid.Configuration, url: URL, attempt: Attempt): Promise<Identity> {
  const tokens = await openid.authorizationCodeGrant(client, url, {
    pkceCodeVerifier: attempt.verifier,
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('the provider gave no ID token')
  const more = client.serverMetadata().userinfo_endpoint
    ? await openid.fetchUserInfo(client, tokens.access_token, claims.sub)
    : {}
  return { issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims } }
}

function unavailable(error: unknown, log: Log): AppError {
  log.error({ err: error }, 'the identity provider does not answer')
  const detail = 'The identity provider does not answer: try again later.'
  return retryLater('sign_in_unavailable', detail, 10, error)
}
