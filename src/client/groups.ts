import { route } from './address.ts'
import { jsonApi } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import type { CallOptions, Connection } from './request.ts'
import type {
  Group,
  GroupChange,
  GroupMember,
  GroupSpace,
  NewGroup,
  QueryOf,
  SpaceGroup,
  SpaceRole,
} from './types.ts'

/** Groups of principals, and their roles in spaces. */
export interface GroupMethods {
  /** The groups of the organisation. This and the next eight require an organisation admin. */
  listGroups(options?: ListCall & QueryOf<'/admin/groups'>): Listing<Group>
  getGroup(id: string, call?: CallOptions): Promise<Group>
  createGroup(group: NewGroup, call?: CallOptions): Promise<Group>
  updateGroup(id: string, change: GroupChange, call?: CallOptions): Promise<Group>
  /** Deletes a group; its members lose the roles that it gave them. */
  deleteGroup(id: string, call?: CallOptions): Promise<void>
  listGroupMembers(id: string, options?: ListCall): Listing<GroupMember>
  addGroupMember(id: string, principal: string, call?: CallOptions): Promise<GroupMember>
  removeGroupMember(id: string, principal: string, call?: CallOptions): Promise<void>
  /** The spaces where a group has a role. */
  listGroupSpaces(id: string, options?: ListCall): Listing<GroupSpace>

  /** The groups with a role in a space. */
  listSpaceGroups(slug: string, options?: ListCall): Listing<SpaceGroup>
  /** Gives a group, by id, a role in a space, or changes it. */
  setSpaceGroup(slug: string, group: string, role: SpaceRole, call?: CallOptions): Promise<SpaceGroup>
  removeSpaceGroup(slug: string, group: string, call?: CallOptions): Promise<void>
}

/** The methods of groups. */
export function groupMethods(connection: Connection): GroupMethods {
  const api = jsonApi(connection)
  const memberOf = (id: string, principal: string) => route`/admin/groups/${id}/members/${principal}`
  const inSpace = (slug: string, group: string) => route`/spaces/${slug}/groups/${group}`
  return {
    listGroups: (options) => api.list('/admin/groups', options),
    getGroup: (id, call) => api.get(route`/admin/groups/${id}`, call),
    createGroup: (group, call) => api.post('/admin/groups', group, call),
    updateGroup: (id, change, call) => api.patch(route`/admin/groups/${id}`, change, call),
    deleteGroup: (id, call) => api.delete(route`/admin/groups/${id}`, call),
    listGroupMembers: (id, options) => api.list(route`/admin/groups/${id}/members`, options),
    addGroupMember: (id, principal, call) => api.put(memberOf(id, principal), undefined, call),
    removeGroupMember: (id, principal, call) => api.delete(memberOf(id, principal), call),
    listGroupSpaces: (id, options) => api.list(route`/admin/groups/${id}/spaces`, options),

    listSpaceGroups: (slug, options) => api.list(route`/spaces/${slug}/groups`, options),
    setSpaceGroup: (slug, group, role, call) => api.put(inSpace(slug, group), { role }, call),
    removeSpaceGroup: (slug, group, call) => api.delete(inSpace(slug, group), call),
  }
}
