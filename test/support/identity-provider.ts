import { createSign, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sessionCookieOf } from './browser-session.ts'
import { assertStatus, type Client } from './client.ts'

/** The claims of whoever signs in. */
export interface ProviderPerson {
  readonly sub: string
  readonly [claim: string]: unknown
}

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** Signs in as this person, and returns the answer to the callback. */
  signIn(client: Client, person: ProviderPerson, next?: string): ReturnType<Client['get']>
  /** The same; the cookie of the session. */
  cookie(client: Client, person: ProviderPerson, next?: string): Promise<string>
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A provider of OpenID Connect without screens: every request for authorization signs in whom the test says. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { nonce: string; person: ProviderPerson }>()
  let issuer = ''
  const idToken = (claims: object) => {
    const signed = `${json({ alg: 'RS256', kid: 'one' })}.${json(claims)}`
    return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer)
    const answer = (value: unknown) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value))
    if (pathname === '/.well-known/openid-configuration') {
      return answer({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    }
    if (pathname === '/keys') {
      return answer({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] })
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const { nonce, person } = codes.get(new URLSearchParams(body).get('code') ?? '') ?? {
      nonce: '',
      person: { sub: '' },
    }
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'recto', iat: now, exp: now + 300, auth_time: now, nonce, ...person }
    return answer({ access_token: 'at', token_type: 'Bearer', id_token: idToken(claims) })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP

  async function signIn(client: Client, person: ProviderPerson, next = '/') {
    const started = await client.get(`/sign-in/oidc?next=${encodeURIComponent(next)}`)
    const { searchParams } = new URL(assertStatus(started, 303).headers.get('location') ?? '')
    const code = `code-${codes.size}`
    codes.set(code, { nonce: searchParams.get('nonce') ?? '', person })
    const [cookie = ''] = (started.headers.get('set-cookie') ?? '').split(';')
    const query = new URLSearchParams({ code, state: searchParams.get('state') ?? '' })
    return client.get(`/sign-in/callback?${query}`, { cookie, accept: 'text/html' })
  }
  return {
    issuer,
    signIn,
    cookie: async (client, person, next) => sessionCookieOf(assertStatus(await signIn(client, person, next), 303)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
