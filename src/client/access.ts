import { route } from './address.ts'
import { jsonApi } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import type { CallOptions, Connection } from './request.ts'
import type {
  ApiKey,
  AppConnection,
  AuditEntry,
  CreatedKey,
  Me,
  NewKey,
  NewKeyFor,
  NewPrincipal,
  Passkey,
  PasswordLink,
  Principal,
  PrincipalChange,
  QueryOf,
  Session,
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
  /** The browsers in which you are signed in. */
  listSessions(options?: ListCall): Listing<Session>
  /** Signs a browser out. */
  endSession(id: string, call?: CallOptions): Promise<void>
  /** The apps that act for you. */
  listConnections(options?: ListCall): Listing<AppConnection>
  /** Disconnects an app. */
  endConnection(id: string, call?: CallOptions): Promise<void>

  /** Your passkeys. They are created in a browser. */
  listPasskeys(options?: ListCall): Listing<Passkey>
  renamePasskey(id: string, name: string, call?: CallOptions): Promise<Passkey>
  removePasskey(id: string, call?: CallOptions): Promise<void>

  /** The keys of everyone or of one principal. This and all below require an organisation admin. */
  listAllKeys(options?: KeyListOptions & { readonly principal?: string | undefined }): Listing<ApiKey>
  createKeyFor(key: NewKeyFor, call?: CallOptions): Promise<CreatedKey>
  revokeAnyKey(id: string, call?: CallOptions): Promise<void>
  listPrincipals(options?: ListCall & QueryOf<'/admin/principals'>): Listing<Principal>
  getPrincipal(id: string, call?: CallOptions): Promise<Principal>
  createPrincipal(principal: NewPrincipal, call?: CallOptions): Promise<Principal>
  updatePrincipal(id: string, change: PrincipalChange, call?: CallOptions): Promise<Principal>
  /** Creates a one-time link with which a person chooses a new password; only this response contains it. */
  createPasswordLink(id: string, call?: CallOptions): Promise<PasswordLink>
  /** Audit events, newest first. */
  listAudit(options?: ListCall & QueryOf<'/admin/audit'>): Listing<AuditEntry>
}

/** The methods of keys and principals. */
export function accessMethods(connection: Connection): AccessMethods {
  const api = jsonApi(connection)
  const secret = { notIdempotent: true }
  return {
    me: (call) => api.get('/me', call),

    listKeys: (options) => api.list('/me/api-keys', options),
    createKey: (key, call) => api.post('/me/api-keys', key, call, secret),
    revokeKey: (id, call) => api.delete(route`/me/api-keys/${id}`, call),
    listSessions: (options) => api.list('/me/sessions', options),
    endSession: (id, call) => api.delete(route`/me/sessions/${id}`, call),
    listConnections: (options) => api.list('/me/connections', options),
    endConnection: (id, call) => api.delete(route`/me/connections/${id}`, call),

    listPasskeys: (options) => api.list('/me/passkeys', options),
    renamePasskey: (id, name, call) =>
      api.patch(route`/me/passkeys/${id}`, { name }, call, { notIdempotent: true }),
    removePasskey: (id, call) => api.delete(route`/me/passkeys/${id}`, call),

    listAllKeys: (options) => api.list('/admin/api-keys', options),
    createKeyFor: (key, call) => api.post('/admin/api-keys', key, call, secret),
    revokeAnyKey: (id, call) => api.delete(route`/admin/api-keys/${id}`, call),

    listPrincipals: (options) => api.list('/admin/principals', options),
    getPrincipal: (id, call) => api.get(route`/admin/principals/${id}`, call),
    createPrincipal: (principal, call) => api.post('/admin/principals', principal, call),
    updatePrincipal: (id, change, call) => api.patch(route`/admin/principals/${id}`, change, call),
    createPasswordLink: (id, call) =>
      api.post(route`/admin/principals/${id}/password-link`, undefined, call, secret),

    listAudit: (options) => api.list('/admin/audit', options),
  }
}
