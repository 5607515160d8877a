import { createPrivateKey, hkdfSync, timingSafeEqual } from 'node:crypto'
import { newToken } from '@recto/lib/encoding/token.ts'
import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Runtime } from '../../access/ctx.ts'
import { ACCESS_TOKEN_PREFIX, hashKey } from '../principals/authenticate.ts'
import { createAdapters } from './adapter.ts'
import { redirectTarget, SECRET_METHODS } from './client-metadata.ts'
import { CODE_SECONDS } from './connections.ts'
import { watchFaults } from './dispatch.ts'
import { createMetadataFetch, type FetchInternals, MAX_DOCUMENT_BYTES } from './fetch-metadata.ts'
import { OAUTH_SCOPES, parseAudience, resourceUrls } from './scopes.ts'
import { isConnected } from './store-connections.ts'

interface OauthDeps {
  readonly runtime: Runtime
  readonly secretKey: Buffer
  readonly internals: FetchInternals | undefined
}

const HOUR = 3600
const DAY = 24 * HOUR
const INTERACTION_SECONDS = HOUR / 2
const ACCESS_TOKEN_SECONDS = HOUR
/** From the last refresh: an app that is not used for so long must be connected again. */
const REFRESH_TOKEN_SECONDS = 90 * DAY

/** The authorization server (OAuth 2.1) of this deployment. */
export function createAuthorizationServer(deps: OauthDeps): Provider {
  const { publicUrl } = deps.runtime.config
  const provider = new Provider(publicUrl, configuration(deps))
  // `dispatch` is the only proxy in front of it.
  provider.proxy = true
  watchFaults(provider)
  prefixAccessTokens(provider)
  compareHashedSecrets(provider)
  return provider
}

/** Public clients: they have no secret, unless they register for one. */
const CLIENT_DEFAULTS: Configuration['clientDefaults'] = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  id_token_signed_response_alg: 'EdDSA',
}

function configuration({ runtime, secretKey, internals }: OauthDeps): Configuration {
  const secrets = oauthSecrets(secretKey)
  return {
    adapter: createAdapters(runtime),
    jwks: { keys: [secrets.signingKey as never] }, // derived as a JSON Web Key
    cookies: {
      keys: [secrets.cookieKey],
      names: { interaction: 'recto_oauth', resume: 'recto_oauth_resume', session: 'recto_oauth_session' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    features: features(runtime),
    scopes: ['offline_access'],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', ...SECRET_METHODS],
    clientDefaults: CLIENT_DEFAULTS,
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    pkce: { required: () => true },
    rotateRefreshToken,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    revokeGrantPolicy: () => true,
    expiresWithSession: () => false,
    // Whether the account is disabled is decided with the grant.
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_ctx, { uid }) => `/oauth/consent/${uid}` },
    routes: ROUTES,
    ttl: LIFETIMES,
    clientBasedCORS: () => true,
    fetch: createMetadataFetch(runtime.config, internals),
    fetchResponseBodyLimits: { 'client_id metadata document': 2 * MAX_DOCUMENT_BYTES },
    // The route shows the error as any other one.
    renderError(ctx, out) {
      ctx.type = 'json'
      ctx.body = out
    },
  }
}

function features(runtime: OauthDeps['runtime']): Configuration['features'] {
  const { publicUrl } = runtime.config
  return {
    ...OFF,
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: (ctx, clientId) => mayFetch(runtime, ctx?.oidc.route, clientId),
      allowClient: (_ctx, client) => (client.redirectUris ?? []).every((uri) => redirectTarget(uri)),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resourceUrls(publicUrl, 'mcp')[0] as string, // it has one
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => resourceServer(publicUrl, resource, ctx.oidc.params?.resource),
    },
  }
}

const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
}

const LIFETIMES = {
  AccessToken: ACCESS_TOKEN_SECONDS,
  AuthorizationCode: CODE_SECONDS,
  RefreshToken: REFRESH_TOKEN_SECONDS,
  Interaction: INTERACTION_SECONDS,
  Grant: REFRESH_TOKEN_SECONDS,
  Session: INTERACTION_SECONDS,
  IdToken: HOUR,
}

const OFF = {
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  userinfo: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  claimsParameter: { enabled: false },
} as const

/** Checks the resource before the token is consumed: else a request that fails would cost the app its connection. */
function rotateRefreshToken({ oidc }: KoaContextWithOIDC): boolean {
  const requestedResource = oidc.params?.resource
  if (typeof requestedResource !== 'string' || oidc.entities.RefreshToken?.resourceIndicators.has(requestedResource))
    return true
  throw new errors.InvalidTarget('the resource must be that of the authorization request')
}

/** A document is fetched only for a person who is signed in, or for a connected app. */
async function mayFetch({ db }: Runtime, route: string | undefined, clientId: string): Promise<boolean> {
  // The URL of the document must have a path (draft, section 3).
  if (URL.parse(clientId)?.pathname === '/') return false
  const isSignedIn = route === undefined || route === 'authorization' || route === 'resume'
  return isSignedIn || isConnected(db, clientId)
}

function resourceServer(origin: string, resource: string, requestedResource: unknown) {
  const audience = parseAudience(origin, resource)
  if (!audience) throw new errors.InvalidTarget(`the resource must be ${resourceUrls(origin, 'mcp')[0]}`)
  if (Array.isArray(requestedResource) && requestedResource.length > 1) {
    throw new errors.InvalidTarget('only one resource can be requested')
  }
  return {
    scope: OAUTH_SCOPES.join(' '),
    audience: resourceUrls(origin, audience)[0] as string, // it has one
    accessTokenFormat: 'opaque' as const,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
  }
}

/** Access tokens have the form of keys: a prefix to recognise them by, and a checksum. */
function prefixAccessTokens(provider: Provider): void {
  const model = provider.AccessToken.prototype as unknown as { generateTokenId(): string } // its type omits it
  const { generateTokenId } = model
  model.generateTokenId = function generate() {
    generateTokenId.call(this)
    return newToken(ACCESS_TOKEN_PREFIX)
  }
}

/** Only hashes of client secrets are stored. */
function compareHashedSecrets(provider: Provider): void {
  provider.Client.prototype.compareClientSecret = function compare(actual) {
    const expectedHash = Buffer.from(this.clientSecret ?? '', 'base64url')
    const actualHash = hashKey(actual)
    return expectedHash.length === actualHash.length && timingSafeEqual(expectedHash, actualHash)
  }
}

/** The header of a private Ed25519 key in PKCS #8 (RFC 8410, section 7); the 32 bytes of the key follow. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The keys with which the authorization server signs, derived from the secret key: the same on every node. */
function oauthSecrets(secretKey: Buffer) {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', secretKey, '', `recto oauth ${label}`, 32))
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, derive('signing key')]),
    format: 'der',
    type: 'pkcs8',
  })
  return {
    /** Signs the cookies of pending authorization requests. */
    cookieKey: derive('cookies').toString('base64url'),
    /** A private JSON Web Key. */
    signingKey: { ...key.export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA', kid: 'recto' },
  }
}
