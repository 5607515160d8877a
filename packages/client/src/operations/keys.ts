import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { ApiKey, CreatedKey, NewKeyFor } from '../types.ts'

export interface KeyListOptions extends ListCall {
  readonly includeRevoked?: boolean | undefined
}

/** The keys of everyone; for organisation admins. Your own are `me.keys`. */
export function keyMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    /** The keys of everyone or of one principal. */
    list: (options?: KeyListOptions & { readonly principal?: string | undefined }): Listing<ApiKey> =>
      api.list('/admin/api-keys', options),
    /** Creates a key for somebody; only this response contains the secret. */
    create: (key: NewKeyFor, call?: CallOptions): Promise<CreatedKey> =>
      api.post('/admin/api-keys', key, call, { notIdempotent: true }),
    revoke: (id: string, call?: CallOptions): Promise<void> => api.delete(route`/admin/api-keys/${id}`, call),
  }
}
