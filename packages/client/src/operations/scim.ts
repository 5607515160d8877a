import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { CreatedScimToken, ScimState } from '../types.ts'

/** SCIM, by which an identity provider keeps people and groups; for organisation admins. */
export function scimMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    get: (call?: CallOptions): Promise<ScimState> => api.get('/admin/scim', call),
    /** Switches SCIM on, or replaces its token; only this response contains the token. */
    createToken: (call?: CallOptions): Promise<CreatedScimToken> =>
      api.post('/admin/scim/token', undefined, call, { notIdempotent: true }),
    /** Switches SCIM off. */
    endToken: (call?: CallOptions): Promise<void> => api.delete('/admin/scim/token', call),
  }
}
