import { route, targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { NotFoundError } from '../transport/errors.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type {
  Candidate,
  FolderOrder,
  Member,
  NewSpace,
  Space,
  SpaceChange,
  SpaceGroup,
  SpaceRole,
} from '../types.ts'
import { spaceInvitationMethods } from './invitations.ts'
import { transferMethods } from './transfer.ts'

/** Spaces, and who has a role in them. */
export function spaceMethods(connection: Connection) {
  const api = jsonApi(connection)
  const get = (slug: string, call?: CallOptions) => api.get<Space>(route`/spaces/${slug}`, call)
  return {
    /** The spaces that the key can read. */
    list: (options?: ListCall): Listing<Space> => api.list('/spaces', options),
    get,
    /** The space, or undefined if it does not exist or is not visible. */
    find: (slug: string, call?: CallOptions): Promise<Space | undefined> =>
      get(slug, call).catch(undefinedIfAbsent),
    /** Creates a space; the caller becomes its admin. */
    create: (space: NewSpace | string, call?: CallOptions): Promise<Space> =>
      api.post('/spaces', typeof space === 'string' ? { slug: space } : space, call),
    update: (slug: string, change: SpaceChange, call?: CallOptions): Promise<Space> =>
      api.patch(route`/spaces/${slug}`, change, call),
    /** Deletes a space; with pages only with `force`, for organisation admins. */
    delete: (
      slug: string,
      { force, ...call }: CallOptions & { readonly force?: boolean | undefined } = {},
    ): Promise<void> =>
      api.delete(targetWithQuery(route`/spaces/${slug}`, { force: force || undefined }), call),
    members: {
      list: (slug: string, options?: ListCall): Listing<Member> =>
        api.list(route`/spaces/${slug}/members`, options),
      /** People and agents whose name contains a text, or who have it as e-mail address; for admins of the space. */
      candidates: (slug: string, name: string, options?: ListCall): Listing<Candidate> => {
        const search = { ...options, name }
        return api.list(route`/spaces/${slug}/candidates`, search)
      },
      /** Adds a principal, by id, to a space, or changes its role. */
      set: (slug: string, principal: string, role: SpaceRole, call?: CallOptions): Promise<Member> =>
        api.put(route`/spaces/${slug}/members/${principal}`, { role }, call),
      remove: (slug: string, principal: string, call?: CallOptions): Promise<void> =>
        api.delete(route`/spaces/${slug}/members/${principal}`, call),
    },
    groups: {
      /** The groups with a role in a space. */
      list: (slug: string, options?: ListCall): Listing<SpaceGroup> =>
        api.list(route`/spaces/${slug}/groups`, options),
      /** Gives a group, by id, a role in a space, or changes it. */
      set: (slug: string, group: string, role: SpaceRole, call?: CallOptions): Promise<SpaceGroup> =>
        api.put(route`/spaces/${slug}/groups/${group}`, { role }, call),
      remove: (slug: string, group: string, call?: CallOptions): Promise<void> =>
        api.delete(route`/spaces/${slug}/groups/${group}`, call),
    },
    invitations: spaceInvitationMethods(connection),
    order: {
      /** The names that come first in a folder of the page tree; all others follow in natural order. */
      get: (slug: string, folder?: string, call?: CallOptions): Promise<FolderOrder> =>
        api.get(targetWithQuery(route`/spaces/${slug}/order`, { folder }), call),
      /** Replaces the names that come first; with none the folder is in natural order. */
      set: (slug: string, order: FolderOrder, call?: CallOptions): Promise<FolderOrder> =>
        api.put(route`/spaces/${slug}/order`, order, call),
      /** Puts a page or folder after a sibling, or first with `null`. */
      place: (slug: string, path: string, after: string | null, call?: CallOptions): Promise<FolderOrder> =>
        api.post(route`/spaces/${slug}/order`, { path, after }, call),
    },
    ...transferMethods(connection),
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}
