import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { Group, GroupChange, GroupMember, GroupSpace, NewGroup, QueryOf } from '../types.ts'

/** Groups of principals; for organisation admins. */
export function groupMethods(connection: Connection) {
  const api = jsonApi(connection)
  const memberPath = (id: string, principal: string) => route`/admin/groups/${id}/members/${principal}`
  return {
    /** The groups of the organisation. */
    list: (options?: ListCall & QueryOf<'/admin/groups'>): Listing<Group> =>
      api.list('/admin/groups', options),
    get: (id: string, call?: CallOptions): Promise<Group> => api.get(route`/admin/groups/${id}`, call),
    create: (group: NewGroup, call?: CallOptions): Promise<Group> => api.post('/admin/groups', group, call),
    update: (id: string, change: GroupChange, call?: CallOptions): Promise<Group> =>
      api.patch(route`/admin/groups/${id}`, change, call),
    /** Deletes a group; its members lose the roles that it gave them. */
    delete: (id: string, call?: CallOptions): Promise<void> => api.delete(route`/admin/groups/${id}`, call),
    members: {
      list: (id: string, options?: ListCall): Listing<GroupMember> =>
        api.list(route`/admin/groups/${id}/members`, options),
      add: (id: string, principal: string, call?: CallOptions): Promise<GroupMember> =>
        api.put(memberPath(id, principal), undefined, call),
      remove: (id: string, principal: string, call?: CallOptions): Promise<void> =>
        api.delete(memberPath(id, principal), call),
    },
    /** The spaces where a group has a role. */
    spaces: (id: string, options?: ListCall): Listing<GroupSpace> =>
      api.list(route`/admin/groups/${id}/spaces`, options),
  }
}
