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
