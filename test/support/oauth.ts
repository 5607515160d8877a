import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { type Answer, assertStatus, type Client } from './client.ts'
import { type Form, formsIn } from './web-session.ts'

export const LOOPBACK = 'http://127.0.0.1:7777/callback'

/** The browser of a person, without script: it keeps cookies, and follows redirects within the service. */
export interface PersonBrowser {
  readonly cookies: Map<string, string>
  /** Opens a URL; the last response within the service, or the redirect that leads out of it. */
  open(url: string): Promise<Opened>
  send(form: Form, more?: Readonly<Record<string, string | readonly string[]>>): Promise<Opened>
}

export interface Opened {
  readonly status: number
  readonly url: string
  readonly text: string
  readonly headers: Headers
  /** Where the service sent the browser, outside of itself. */
  readonly leftTo?: URL
}

export async function openBrowser(base: string, key: string): Promise<PersonBrowser> {
  const cookies = new Map<string, string>()
  const request = async (url: string, init: RequestInit = {}): Promise<Opened> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        cookie,
        accept: 'text/html',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-site': 'same-origin',
        ...init.headers,
      },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const equals = pair.indexOf('=')
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1))
    }
    const text = await response.text()
    const { status, headers } = response
    const location = headers.get('location')
    if (location === null || status < 300 || status > 399) return { status, url, text, headers }
    const next = new URL(location, url)
    if (next.origin !== new URL(base).origin) return { status, url, text, headers, leftTo: next }
    return request(next.href)
  }
  const post = (url: string, body: URLSearchParams) =>
    request(url, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  await post(`${base}/sign-in`, new URLSearchParams({ key }))
  return {
    cookies,
    open: (url) => request(new URL(url, base).href),
    send({ action, fields }, more = {}) {
      const body = new URLSearchParams(fields.map(([name, value]) => [name, value]))
      for (const [name, value] of Object.entries(more)) for (const one of [value].flat()) body.append(name, one)
      return post(new URL(action, base).href, body)
    },
  }
}

/** Registers an app; returns its client id. */
export async function registerApp(nobody: Client, metadata: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const input = { client_name: 'Helper', redirect_uris: [LOOPBACK], ...metadata }
  const { client_id } = assertStatus(await nobody.post('/oauth/register', input), 201).json
  return client_id
}

export interface AuthorizationRequest {
  readonly url: string
  readonly verifier: string
}

/** An authorization request of an app (OAuth 2.1), with PKCE. */
export function authorizationRequest(
  base: string,
  clientId: string,
  more: Readonly<Record<string, string | undefined>> = {},
): AuthorizationRequest {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: LOOPBACK,
    scope: 'read write',
    state: 'a state',
    resource: `${base}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { url: `${base}/oauth/authorize?${new URLSearchParams(given)}`, verifier }
}

export const ALLOW = { decision: 'allow', scope: 'write', access: 'all' } as const

/** Opens an authorization request and decides; returns the URL that the app gets. */
export async function decide(
  browser: PersonBrowser,
  url: string,
  decision: Readonly<Record<string, string | readonly string[]>> = ALLOW,
): Promise<URL> {
  const { leftTo, status, text } = await browser.send(consentForm(await browser.open(url)), decision)
  assert.ok(leftTo, `the browser did not return to the app: ${status} ${text.slice(0, 2000)}`)
  return leftTo
}

/** The form of the consent screen. */
export function consentForm({ status, text }: Opened): Form {
  const form = formsIn(text).find(({ action }) => action.startsWith('/oauth/consent/'))
  assert.ok(form, `this is no consent screen: ${status} ${text.slice(0, 2000)}`)
  return form
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
}

/** A request to the token endpoint, or to that of revocations. */
export function postForm(nobody: Client, path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  return nobody.call('POST', path, {
    body: String(new URLSearchParams(fields)),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

export function redeem(
  nobody: Client,
  fields: {
    readonly clientId: string
    readonly code: string
    readonly verifier: string
    readonly redirectUri?: string
  },
): Promise<Answer> {
  return postForm(nobody, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: fields.clientId,
    code: fields.code,
    code_verifier: fields.verifier,
    redirect_uri: fields.redirectUri ?? LOOPBACK,
  })
}

export function refresh(nobody: Client, clientId: string, token: string): Promise<Answer> {
  return postForm(nobody, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
}

/** Connects an app with a person; returns its tokens. */
export async function connect(
  nobody: Client,
  browser: PersonBrowser,
  clientId: string,
  {
    decision = ALLOW,
    ...parameters
  }: {
    readonly decision?: Readonly<Record<string, string | readonly string[]>>
    readonly resource?: string
    readonly scope?: string
  } = {},
): Promise<Tokens> {
  const { url, verifier } = authorizationRequest(nobody.base, clientId, parameters)
  const code = (await decide(browser, url, decision)).searchParams.get('code') ?? ''
  return assertStatus(await redeem(nobody, { clientId, code, verifier }), 200).json
}

/** Calls a tool of MCP with an access token. */
export function callTool(nobody: Client, token: string, name: string, args: object = {}): Promise<Answer> {
  return nobody.call('POST', '/mcp', {
    json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
  })
}
