import { randomUUID } from 'node:crypto'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { sendForm, sessionCookieOf } from './browser-session.ts'
import { assertStatus, Client } from './client.ts'

export interface Person {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly keyId: string
  readonly client: Client
}

export interface NewPerson {
  readonly kind?: 'human' | 'agent'
  readonly role?: 'admin' | 'member'
  readonly scopes?: readonly string[]
  readonly spaces?: readonly string[]
}

/** Makes a principal with a key, as an organisation admin does. */
export async function newPerson(admin: Client, name: string, options: NewPerson = {}): Promise<Person> {
  const { kind = 'human', role = 'member' } = options
  const principal = assertStatus(await admin.post('/admin/principals', { name, kind, role }), 201).json
  const { secret, apiKey } = await newKey(admin, principal.id, options)
  return { id: principal.id, name, key: secret, keyId: apiKey.id, client: new Client(admin.base, secret) }
}

/** Makes a key for a principal, as an organisation admin does. */
export async function newKey(
  admin: Client,
  principal: string,
  { scopes = ['admin'], spaces }: NewPerson = {},
): Promise<{ readonly secret: string; readonly apiKey: { readonly id: string } }> {
  const input = { principal, name: 'key', scopes, ...(spaces && { spaces }) }
  return assertStatus(await admin.post('/admin/api-keys', input), 201).json
}

const PASSWORD = 'quartz lantern vivid moss'

/**
 * Somebody who signed in and made the key: it covers the personal space, as no key does that an admin makes for a
 * person.
 */
export async function newOwner(admin: Client, name: string, options: NewPerson = {}): Promise<Person> {
  const { role = 'member', scopes = ['admin'], spaces } = options
  const account = { name, kind: 'human', role, email: `${randomUUID()}@example.org` }
  const { id } = assertStatus(await admin.post('/admin/principals', account), 201).json
  const { url } = assertStatus(await admin.post(`/admin/principals/${id}/password-link`), 201).json
  const browser = new Client(admin.base, undefined)
  const cookie = sessionCookieOf(
    assertStatus(await sendForm(browser, new URL(url).pathname, { password: PASSWORD }), 303),
  )
  const headers = {
    cookie,
    'x-csrf-token': deriveCsrfToken(cookie.split('=')[1] ?? ''),
    'sec-fetch-site': 'same-origin',
  }
  const json = { name: 'key', scopes, ...(spaces && { spaces }) }
  const { secret, apiKey } = assertStatus(await browser.call('POST', '/me/api-keys', { json, headers }), 201).json
  return { id, name, key: secret, keyId: apiKey.id, client: new Client(admin.base, secret) }
}
