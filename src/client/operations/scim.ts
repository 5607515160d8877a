import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { CreatedScimToken, ScimState } from '../types.ts'

/** SCIM, by which an identity provider keeps people and groups; for organisation admins. */
export interface ScimMethods {
  get(call?: CallOptions): Promise<ScimState>
  /** Switches SCIM on, or replaces its token; only this response contains the token. */
  createToken(call?: CallOptions): Promise<CreatedScimToken>
  /** Switches SCIM off. */
  endToken(call?: CallOptions): Promise<void>
}

/** The methods of SCIM. */
export function scimMethods(connection: Connection): ScimMethods {
  const api = jsonApi(connection)
  return {
    get: (call) => api.get('/admin/scim', call),
    createToken: (call) => api.post('/admin/scim/token', undefined, call, { notIdempotent: true }),
    endToken: (call) => api.delete('/admin/scim/token', call),
  }
}
