import { csrfTokenOf } from '../../src/access/sessions/csrf.ts'
import type { Answer, Client } from './client.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** Sends a form as a browser does; with the cookie of a session and its token, if there is one. */
export function sendForm(
  client: Client,
  path: string,
  fields: Readonly<Record<string, string>>,
  { cookie, ...headers }: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const csrf = cookie === undefined ? {} : { csrf: csrfTokenOf(cookie.split('=')[1] ?? '') }
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
