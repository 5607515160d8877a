import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { Group, GroupChange, GroupMember, GroupSpace, NewGroup, QueryOf } from '../types.ts'

/** Groups of principals; for organisation admins. */
export interface GroupMethods {
  /** The groups of the organisation. */
  list(options?: ListCall & QueryOf<'/admin/groups'>): Listing<Group>
  get(id: string, call?: CallOptions): Promise<Group>
  create(group: NewGroup, call?: CallOptions): Promise<Group>
  update(id: string, change: GroupChange, call?: CallOptions): Promise<Group>
  /** Deletes a group; its members lose the roles that it gave them. */
  delete(id: string, call?: CallOptions): Promise<void>
  readonly members: {
    list(id: string, options?: ListCall): Listing<GroupMember>
    add(id: string, principal: string, call?: CallOptions): Promise<GroupMember>
    remove(id: string, principal: string, call?: CallOptions): Promise<void>
  }
  /** The spaces where a group has a role. */
  spaces(id: string, options?: ListCall): Listing<GroupSpace>
}

/** The methods of groups. */
export function groupMethods(connection: Connection): GroupMethods {
  const api = jsonApi(connection)
  const memberOf = (id: string, principal: string) => route`/admin/groups/${id}/members/${principal}`
  return {
    list: (options) => api.list('/admin/groups', options),
    get: (id, call) => api.get(route`/admin/groups/${id}`, call),
    create: (group, call) => api.post('/admin/groups', group, call),
    update: (id, change, call) => api.patch(route`/admin/groups/${id}`, change, call),
    delete: (id, call) => api.delete(route`/admin/groups/${id}`, call),
    members: {
      list: (id, options) => api.list(route`/admin/groups/${id}/members`, options),
      add: (id, principal, call) => api.put(memberOf(id, principal), undefined, call),
      remove: (id, principal, call) => api.delete(memberOf(id, principal), call),
    },
    spaces: (id, options) => api.list(route`/admin/groups/${id}/spaces`, options),
  }
}
