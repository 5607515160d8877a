import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import type { Answer, Client } from './client.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** Sends a form as a browser does; with the cookie of a session and its token, if there is one. */
export function sendForm(
  client: Client,
  path: string,
  fields: Readonly<Record<string, string>>,
  { cookie, ...headers }: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const csrf = cookie === undefined ? {} : { csrf: deriveCsrfToken(cookie.split('=')[1] ?? '') }
  return client.call('POST', path, {
    body: new URLSearchParams({ ...fields, ...csrf }).toString(),
    headers: { ...FORM, ...(cookie !== undefined && { cookie }), ...headers },
  })
}

/** The cookie of the session that an answer opened; empty where it opened none. */
export function sessionCookieOf(answer: Answer): string {
  const lines = answer.headers.getSetCookie()
  return /^[^;]+/.exec(lines.find((line) => line.startsWith('svc_session=')) ?? '')?.[0] ?? ''
}

/** Opens a URL, or sends a form, as a browser navigates: not by fetch, which says of itself that it does not. */
export async function navigate(
  { base }: Client,
  path: string,
  { cookie, ...headers }: Readonly<Record<string, string>> & { readonly cookie: string },
  fields?: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
) {
  const csrf = deriveCsrfToken(/svc_session=([^;]*)/.exec(cookie)?.[1] ?? '')
  const sent = request(new URL(path, base), {
    method: fields ? 'POST' : 'GET',
    headers: { cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate', ...headers, ...FORM },
  })
  const entries = Array.isArray(fields) ? fields : Object.entries(fields ?? {})
  sent.end(fields && new URLSearchParams([...entries, ['csrf', csrf]]).toString())
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status, headers: receivedHeaders } = answer
  return { status, headers: receivedHeaders, text: await text(answer), location: receivedHeaders.location ?? '' }
}
