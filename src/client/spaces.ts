import { route, targetWithQuery } from './address.ts'
import { ApiError } from './errors.ts'
import { jsonApi } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import type { CallOptions, Connection } from './request.ts'
import type { FolderOrder, Member, NewSpace, Space, SpaceChange, SpaceRole } from './types.ts'

/** Spaces and their members. */
export interface SpaceMethods {
  /** The spaces that the key can read. */
  listSpaces(options?: ListCall): Listing<Space>
  getSpace(slug: string, call?: CallOptions): Promise<Space>
  /** The space, or undefined if it does not exist or is not visible. */
  findSpace(slug: string, call?: CallOptions): Promise<Space | undefined>
  /** Creates a space; the caller becomes its admin. */
  createSpace(space: NewSpace | string, call?: CallOptions): Promise<Space>
  updateSpace(slug: string, change: SpaceChange, call?: CallOptions): Promise<Space>
  /** Deletes a space; with pages only with `force`, for organisation admins. */
  deleteSpace(slug: string, options?: CallOptions & { readonly force?: boolean | undefined }): Promise<void>
  listMembers(slug: string, options?: ListCall): Listing<Member>
  /** Adds a principal, by id, to a space, or changes its role. */
  setMember(slug: string, principal: string, role: SpaceRole, call?: CallOptions): Promise<Member>
  removeMember(slug: string, principal: string, call?: CallOptions): Promise<void>
  /** The names that come first in a folder of the page tree; all others follow in natural order. */
  getOrder(slug: string, folder?: string, call?: CallOptions): Promise<FolderOrder>
  /** Replaces the names that come first; with none the folder is in natural order. */
  setOrder(slug: string, order: FolderOrder, call?: CallOptions): Promise<FolderOrder>
  /** Puts a page or folder after a sibling, or first with `null`. */
  arrange(slug: string, path: string, after: string | null, call?: CallOptions): Promise<FolderOrder>
}

/** The methods of spaces. */
export function spaceMethods(connection: Connection): SpaceMethods {
  const api = jsonApi(connection)
  const getSpace = (slug: string, call?: CallOptions) => api.get<Space>(route`/spaces/${slug}`, call)
  return {
    getSpace,
    listSpaces: (options) => api.list('/spaces', options),
    async findSpace(slug, call) {
      try {
        return await getSpace(slug, call)
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      }
    },
    createSpace: (space, call) =>
      api.post('/spaces', typeof space === 'string' ? { slug: space } : space, call),
    updateSpace: (slug, change, call) => api.patch(route`/spaces/${slug}`, change, call),
    deleteSpace: (slug, { force, signal } = {}) =>
      api.delete(targetWithQuery(route`/spaces/${slug}`, { force: force || undefined }), { signal }),
    listMembers: (slug, options) => api.list(route`/spaces/${slug}/members`, options),
    setMember: (slug, principal, role, call) =>
      api.put(route`/spaces/${slug}/members/${principal}`, { role }, call),
    removeMember: (slug, principal, call) => api.delete(route`/spaces/${slug}/members/${principal}`, call),
    getOrder: (slug, folder, call) =>
      api.get(targetWithQuery(route`/spaces/${slug}/order`, { folder }), call),
    setOrder: (slug, order, call) => api.put(route`/spaces/${slug}/order`, order, call),
    arrange: (slug, path, after, call) => api.post(route`/spaces/${slug}/order`, { path, after }, call),
  }
}
