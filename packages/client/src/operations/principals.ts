import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type {
  AnyJob,
  AuditEntry,
  NewPrincipal,
  PasswordLink,
  Principal,
  PrincipalChange,
  QueryOf,
} from '../types.ts'

/** People and agents; for organisation admins. */
export function principalMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    list: (options?: ListCall & QueryOf<'/admin/principals'>): Listing<Principal> =>
      api.list('/admin/principals', options),
    get: (id: string, call?: CallOptions): Promise<Principal> =>
      api.get(route`/admin/principals/${id}`, call),
    create: (principal: NewPrincipal, call?: CallOptions): Promise<Principal> =>
      api.post('/admin/principals', principal, call),
    update: (id: string, change: PrincipalChange, call?: CallOptions): Promise<Principal> =>
      api.patch(route`/admin/principals/${id}`, change, call),
    /** Merges an account into another one (id or e-mail address) of the same person; returns that. It cannot be undone. */
    merge: (id: string, into: string, call?: CallOptions): Promise<Principal> =>
      api.post(route`/admin/principals/${id}/merge`, { into }, call, { notIdempotent: true }),
    /** Creates a one-time link with which a person chooses a new password; only this response contains it. */
    createPasswordLink: (id: string, call?: CallOptions): Promise<PasswordLink> =>
      api.post(route`/admin/principals/${id}/password-link`, undefined, call, { notIdempotent: true }),
  }
}

/** The audit log; for organisation admins. */
export function auditMethods(connection: Connection) {
  return {
    /** Audit events, newest first. */
    list: (options?: ListCall & QueryOf<'/admin/audit'>): Listing<AuditEntry> =>
      jsonApi(connection).list('/admin/audit', options),
  }
}

/** Imports, exports and moves of everybody; for organisation admins. */
export function jobMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    /** The latest first. */
    list: (options?: ListCall & QueryOf<'/admin/jobs'>): Listing<AnyJob> => api.list('/admin/jobs', options),
    /** Asks a job to end; it does with its next batch. */
    cancel: (id: string, call?: CallOptions): Promise<AnyJob> =>
      api.post(route`/admin/jobs/${id}/cancel`, undefined, call, { repeatable: true }),
  }
}
