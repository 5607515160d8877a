import { type Answer, assertStatus, Client } from './client.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const SCIM_JSON = { 'content-type': 'application/scim+json' }

/** Speaks as an identity provider. */
export class Provider {
  readonly #client: Client

  constructor(base: string, token: string | undefined) {
    this.#client = new Client(base, token)
  }

  call(method: string, path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const body = json === undefined ? {} : { json }
    return this.#client.call(method, `/scim/v2${path}`, { ...body, headers: { ...SCIM_JSON, ...headers } })
  }

  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.call('GET', path, undefined, headers)
  }

  /** A list by a filter. */
  find(type: 'Users' | 'Groups', filter: string, more = ''): Promise<Answer> {
    return this.get(`/${type}?filter=${encodeURIComponent(filter)}${more}`)
  }

  patch(path: string, ...Operations: object[]): Promise<Answer> {
    return this.call('PATCH', path, { schemas: [PATCH_SCHEMA], Operations })
  }

  /** Creates a person with this e-mail address; returns the id. */
  async user(email: string, more: object = {}): Promise<string> {
    const emails = [{ value: email, type: 'work', primary: true }]
    const user = { schemas: [USER_SCHEMA], userName: email, displayName: email, emails, active: true, ...more }
    return assertStatus(await this.call('POST', '/Users', user), 201).json.id
  }

  /** Creates a group; returns the id. */
  async group(displayName: string, members: readonly string[] = []): Promise<string> {
    const group = { schemas: [GROUP_SCHEMA], displayName, members: members.map((value) => ({ value })) }
    return assertStatus(await this.call('POST', '/Groups', group), 201).json.id
  }
}

/** Switches SCIM on. */
export async function startProvisioning(admin: Client): Promise<Provider> {
  const { secret } = assertStatus(await admin.post('/admin/scim/token'), 201).json
  return new Provider(admin.base, secret)
}
