import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { AuditEntry, NewPrincipal, PasswordLink, Principal, PrincipalChange, QueryOf } from '../types.ts'

/** People and agents; for organisation admins. */
export interface PrincipalMethods {
  list(options?: ListCall & QueryOf<'/admin/principals'>): Listing<Principal>
  get(id: string, call?: CallOptions): Promise<Principal>
  create(principal: NewPrincipal, call?: CallOptions): Promise<Principal>
  update(id: string, change: PrincipalChange, call?: CallOptions): Promise<Principal>
  /** Creates a one-time link with which a person chooses a new password; only this response contains it. */
  createPasswordLink(id: string, call?: CallOptions): Promise<PasswordLink>
}

/** The audit log; for organisation admins. */
export interface AuditMethods {
  /** Audit events, newest first. */
  list(options?: ListCall & QueryOf<'/admin/audit'>): Listing<AuditEntry>
}

/** The methods of principals. */
export function principalMethods(connection: Connection): PrincipalMethods {
  const api = jsonApi(connection)
  return {
    list: (options) => api.list('/admin/principals', options),
    get: (id, call) => api.get(route`/admin/principals/${id}`, call),
    create: (principal, call) => api.post('/admin/principals', principal, call),
    update: (id, change, call) => api.patch(route`/admin/principals/${id}`, change, call),
    createPasswordLink: (id, call) =>
      api.post(route`/admin/principals/${id}/password-link`, undefined, call, { notIdempotent: true }),
  }
}

/** The methods of the audit log. */
export function auditMethods(connection: Connection): AuditMethods {
  return { list: (options) => jsonApi(connection).list('/admin/audit', options) }
}
