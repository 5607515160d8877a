import { spaceTarget, withQuery } from './address.ts'
import { ApiError } from './errors.ts'
import { jsonBody, read, requestJson } from './json.ts'
import { type ListCall, type Listing, listing } from './paging.ts'
import { type CallOptions, type Connection, send } from './request.ts'
import type { Member, NewSpace, Space, SpaceChange, SpaceRole } from './types.ts'

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
}

/** The methods of spaces. */
export function spaceMethods(connection: Connection): SpaceMethods {
  const getSpace = (slug: string, { signal }: CallOptions = {}) =>
    requestJson<Space>(connection, { ...read, target: spaceTarget(slug), signal })
  const member = (slug: string, principal: string) =>
    spaceTarget(slug, `/members/${encodeURIComponent(principal)}`)
  return {
    getSpace,

    listSpaces: (options = {}) => listing(connection, '/spaces', { ...options }),

    async findSpace(slug, call) {
      try {
        return await getSpace(slug, call)
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      }
    },

    createSpace: (space, { signal } = {}) =>
      requestJson(connection, {
        method: 'POST',
        target: '/spaces',
        ...jsonBody(typeof space === 'string' ? { slug: space } : space),
        signal,
      }),

    updateSpace: (slug, change, { signal } = {}) =>
      requestJson(connection, { method: 'PATCH', target: spaceTarget(slug), ...jsonBody(change), signal }),

    async deleteSpace(slug, { force, signal } = {}) {
      const target = withQuery(spaceTarget(slug), { force: force || undefined })
      await send(connection, { method: 'DELETE', target, signal })
    },

    listMembers: (slug, options = {}) => listing(connection, spaceTarget(slug, '/members'), { ...options }),

    setMember: (slug, principal, role, { signal } = {}) =>
      requestJson(connection, {
        method: 'PUT',
        target: member(slug, principal),
        ...jsonBody({ role }),
        signal,
      }),

    async removeMember(slug, principal, { signal } = {}) {
      await send(connection, { method: 'DELETE', target: member(slug, principal), signal })
    },
  }
}
