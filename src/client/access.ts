import { jsonBody, read, requestJson } from './json.ts'
import { type ListCall, type Listing, listing } from './paging.ts'
import { type CallOptions, type Connection, send } from './request.ts'
import type {
  ApiKey,
  AuditEntry,
  CreatedKey,
  Me,
  NewKey,
  NewKeyFor,
  NewPrincipal,
  Principal,
  PrincipalChange,
  QueryOf,
} from './types.ts'

export interface KeyListOptions extends ListCall {
  readonly includeRevoked?: boolean | undefined
}

/** The authenticated principal, keys, and the administration of the organisation. */
export interface AccessMethods {
  me(call?: CallOptions): Promise<Me>
  /** Your own keys. */
  listKeys(options?: KeyListOptions): Listing<ApiKey>
  /** Creates a key of your own; only this response contains the secret. */
  createKey(key: NewKey, call?: CallOptions): Promise<CreatedKey>
  revokeKey(id: string, call?: CallOptions): Promise<void>

  /** The keys of everyone or of one principal. This and all below require an organisation admin. */
  listAllKeys(options?: KeyListOptions & { readonly principal?: string | undefined }): Listing<ApiKey>
  createKeyFor(key: NewKeyFor, call?: CallOptions): Promise<CreatedKey>
  revokeAnyKey(id: string, call?: CallOptions): Promise<void>
  listPrincipals(options?: ListCall & QueryOf<'/admin/principals'>): Listing<Principal>
  getPrincipal(id: string, call?: CallOptions): Promise<Principal>
  createPrincipal(principal: NewPrincipal, call?: CallOptions): Promise<Principal>
  updatePrincipal(id: string, change: PrincipalChange, call?: CallOptions): Promise<Principal>
  /** Audit events, newest first. */
  listAudit(options?: ListCall & QueryOf<'/admin/audit'>): Listing<AuditEntry>
}

/** The methods of keys and principals. */
export function accessMethods(connection: Connection): AccessMethods {
  const at = (list: string, id: string) => `${list}/${encodeURIComponent(id)}`
  const make = <T>(target: string, body: unknown, { signal }: CallOptions = {}, notIdempotent = false) =>
    requestJson<T>(connection, { method: 'POST', target, ...jsonBody(body), notIdempotent, signal })
  const remove = async (target: string, { signal }: CallOptions = {}) => {
    await send(connection, { method: 'DELETE', target, signal })
  }
  return {
    me: ({ signal } = {}) => requestJson(connection, { ...read, target: '/me', signal }),

    listKeys: (options = {}) => listing(connection, '/me/api-keys', { ...options }),
    createKey: (key, call) => make('/me/api-keys', key, call, true),
    revokeKey: (id, call) => remove(at('/me/api-keys', id), call),

    listAllKeys: (options = {}) => listing(connection, '/admin/api-keys', { ...options }),
    createKeyFor: (key, call) => make('/admin/api-keys', key, call, true),
    revokeAnyKey: (id, call) => remove(at('/admin/api-keys', id), call),

    listPrincipals: (options = {}) => listing(connection, '/admin/principals', { ...options }),
    getPrincipal: (id, { signal } = {}) =>
      requestJson(connection, { ...read, target: at('/admin/principals', id), signal }),
    createPrincipal: (principal, call) => make('/admin/principals', principal, call),
    updatePrincipal: (id, change, { signal } = {}) =>
      requestJson(connection, {
        method: 'PATCH',
        target: at('/admin/principals', id),
        ...jsonBody(change),
        signal,
      }),

    listAudit: (options = {}) => listing(connection, '/admin/audit', { ...options }),
  }
}
