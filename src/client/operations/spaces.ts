import { route, targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { NotFoundError } from '../transport/errors.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { FolderOrder, Member, NewSpace, Space, SpaceChange, SpaceGroup, SpaceRole } from '../types.ts'
import { type SpaceInvitationMethods, spaceInvitationMethods } from './invitations.ts'
import { type TransferMethods, transferMethods } from './transfer.ts'

/** Spaces, and who has a role in them. */
export interface SpaceMethods extends TransferMethods {
  /** The spaces that the key can read. */
  list(options?: ListCall): Listing<Space>
  get(slug: string, call?: CallOptions): Promise<Space>
  /** The space, or undefined if it does not exist or is not visible. */
  find(slug: string, call?: CallOptions): Promise<Space | undefined>
  /** Creates a space; the caller becomes its admin. */
  create(space: NewSpace | string, call?: CallOptions): Promise<Space>
  update(slug: string, change: SpaceChange, call?: CallOptions): Promise<Space>
  /** Deletes a space; with pages only with `force`, for organisation admins. */
  delete(slug: string, options?: CallOptions & { readonly force?: boolean | undefined }): Promise<void>
  readonly members: {
    list(slug: string, options?: ListCall): Listing<Member>
    /** Adds a principal, by id, to a space, or changes its role. */
    set(slug: string, principal: string, role: SpaceRole, call?: CallOptions): Promise<Member>
    remove(slug: string, principal: string, call?: CallOptions): Promise<void>
  }
  readonly groups: {
    /** The groups with a role in a space. */
    list(slug: string, options?: ListCall): Listing<SpaceGroup>
    /** Gives a group, by id, a role in a space, or changes it. */
    set(slug: string, group: string, role: SpaceRole, call?: CallOptions): Promise<SpaceGroup>
    remove(slug: string, group: string, call?: CallOptions): Promise<void>
  }
  readonly invitations: SpaceInvitationMethods
  readonly order: {
    /** The names that come first in a folder of the page tree; all others follow in natural order. */
    get(slug: string, folder?: string, call?: CallOptions): Promise<FolderOrder>
    /** Replaces the names that come first; with none the folder is in natural order. */
    set(slug: string, order: FolderOrder, call?: CallOptions): Promise<FolderOrder>
    /** Puts a page or folder after a sibling, or first with `null`. */
    place(slug: string, path: string, after: string | null, call?: CallOptions): Promise<FolderOrder>
  }
}

/** The methods of spaces. */
export function spaceMethods(connection: Connection): SpaceMethods {
  const api = jsonApi(connection)
  const get = (slug: string, call?: CallOptions) => api.get<Space>(route`/spaces/${slug}`, call)
  return {
    list: (options) => api.list('/spaces', options),
    get,
    find: (slug, call) => get(slug, call).catch(undefinedIfAbsent),
    create: (space, call) => api.post('/spaces', typeof space === 'string' ? { slug: space } : space, call),
    update: (slug, change, call) => api.patch(route`/spaces/${slug}`, change, call),
    delete: (slug, { force, ...call } = {}) =>
      api.delete(targetWithQuery(route`/spaces/${slug}`, { force: force || undefined }), call),
    members: {
      list: (slug, options) => api.list(route`/spaces/${slug}/members`, options),
      set: (slug, principal, role, call) =>
        api.put(route`/spaces/${slug}/members/${principal}`, { role }, call),
      remove: (slug, principal, call) => api.delete(route`/spaces/${slug}/members/${principal}`, call),
    },
    groups: {
      list: (slug, options) => api.list(route`/spaces/${slug}/groups`, options),
      set: (slug, group, role, call) => api.put(route`/spaces/${slug}/groups/${group}`, { role }, call),
      remove: (slug, group, call) => api.delete(route`/spaces/${slug}/groups/${group}`, call),
    },
    invitations: spaceInvitationMethods(connection),
    order: {
      get: (slug, folder, call) => api.get(targetWithQuery(route`/spaces/${slug}/order`, { folder }), call),
      set: (slug, order, call) => api.put(route`/spaces/${slug}/order`, order, call),
      place: (slug, path, after, call) => api.post(route`/spaces/${slug}/order`, { path, after }, call),
    },
    ...transferMethods(connection),
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}
