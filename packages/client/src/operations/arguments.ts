/** Functions whose arguments are not those of their request, or that send more than one. */

import type { Operations } from '../openapi-operations.ts'
import type { CallOptions } from '../transport/connection.ts'
import type { Query } from '../transport/operation-types.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import { sleep } from '../transport/request.ts'
import type * as types from '../types.ts'
import { undefinedIfAbsent } from './update-page.ts'

/** The parameters of a list with filters; an item must match all of them. */
type FilteredQuery<Id extends 'metadata.search' | 'search.pages'> = ListCall &
  Omit<Query<Id>, 'filters'> & { readonly filters?: readonly types.Filter[] | undefined }
export type MetadataQuery = FilteredQuery<'metadata.search'>
export type SearchOptions = FilteredQuery<'search.pages'>

const REBUILD_POLL_MS = 1_000

/** Spaces, and who has a role in them. */
export function spaceMethods({ spaces: api }: Operations) {
  return {
    ...api,
    /** The space, or undefined if it does not exist or is not visible. */
    find: (space: string, call?: CallOptions) => api.get(space, call).catch(undefinedIfAbsent),
    /** Creates a space; the caller becomes its admin. */
    create: (space: types.NewSpace | string, call?: CallOptions) =>
      api.create(typeof space === 'string' ? { slug: space } : space, call),
    members: {
      ...api.members,
      /** Adds a principal, by id, to a space, or changes its role. */
      set: (space: string, principal: string, role: types.SpaceRole, call?: CallOptions) =>
        api.members.set(space, principal, { role }, call),
    },
    groups: {
      ...api.groups,
      /** Gives a group, by id, a role in a space, or changes it. */
      set: (space: string, group: string, role: types.SpaceRole, call?: CallOptions) =>
        api.groups.set(space, group, { role }, call),
    },
    invitations: {
      ...api.invitations,
      /** Invites somebody; only this response contains the link. */
      create: (space: string, email: string, role: types.SpaceRole, call?: CallOptions) =>
        api.invitations.create(space, { email, role }, call),
    },
    order: {
      ...api.order,
      /** The names that come first in a folder of the page tree; all others follow in natural order. */
      get: (space: string, folder?: string, call?: CallOptions): Promise<types.FolderOrder> =>
        api.order.get(space, { ...call, folder }),
      /** Puts a page or folder after a sibling, or first with `null`. */
      place: (space: string, path: string, after: string | null, call?: CallOptions) =>
        api.order.place(space, { path, after }, call),
    },
  }
}

/** Folders: all pages and files at or below a path. */
export function folderMethods({ folders: api }: Operations) {
  return {
    ...api,
    /** Moves a folder to the trash; with `dryRun` only lists its pages and files. */
    delete: (
      space: string,
      path: string,
      { dryRun = false, ...call }: CallOptions & { readonly dryRun?: boolean | undefined } = {},
    ) => api.delete(space, { path, dryRun }, call),
  }
}

/** Queries by metadata, and full-text search. */
export function searchMethods({ metadata, search }: Operations) {
  return {
    metadata: {
      ...metadata,
      /**
       * Pages by their metadata.
       *
       * ```js
       * const filters = [{ key: 'status', op: 'eq', value: 'review' }]
       * for await (const { path } of recto.metadata.search({ filters, orderBy: 'due' })) console.log(path)
       * ```
       */
      search: (query: MetadataQuery = {}): Listing<types.FoundPage, types.FoundPages> =>
        metadata.search(withFilters(query)),
    },
    search: {
      ...search,
      /** Searches titles and bodies, best hits first. A page of results also has the interpretation of the query. */
      pages: (words: string, options: SearchOptions = {}): Listing<types.SearchHit, types.SearchPage> =>
        search.pages(words, withFilters(options)),
    },
  }
}

/** The links of a space. Those of a page are `pages.links` and `pages.backlinks`. */
export function linkMethods({ links: api }: Operations) {
  return {
    ...api,
    /** Rebuilds the link index of all spaces or of one; resolves when it is complete. */
    async rebuild({ space, ...call }: Parameters<typeof api.rebuild>[0] = {}): Promise<types.Rebuild> {
      let rebuild: types.Rebuild = await api.rebuild({ ...call, space })
      while (rebuild.status !== 'done') {
        await sleep(REBUILD_POLL_MS, call.signal)
        rebuild = await api.rebuildStatus(rebuild.id, call)
      }
      return rebuild
    },
  }
}

/** People, agents and what belongs to them, and the space templates of the organisation. */
export function administrationMethods({ me, principals, spaceTemplates, webhooks }: Operations) {
  return {
    me: {
      ...me,
      passkeys: {
        ...me.passkeys,
        rename: (id: string, name: string, call?: CallOptions) => me.passkeys.rename(id, { name }, call),
      },
    },
    principals: {
      ...principals,
      /** Merges an account into another one (id or e-mail address) of the same person for good; returns that. */
      merge: (id: string, into: string, call?: CallOptions) => principals.merge(id, { into }, call),
    },
    spaceTemplates: {
      ...spaceTemplates,
      /** Deletes a template of the organisation. For organisation admins. */
      delete: (id: string, call?: CallOptions) => spaceTemplates.delete('org', id, call),
    },
    webhooks: {
      ...webhooks,
      /** The event kinds that a webhook can subscribe to, besides `*`. */
      eventKinds: async (call?: CallOptions): Promise<readonly string[]> =>
        (await webhooks.list({ ...call, limit: 1 })).eventKinds,
      /** Replaces the secret; the old one stays valid for `graceSeconds` (default one day). */
      rotateSecret: (
        id: string,
        { graceSeconds, ...call }: CallOptions & { readonly graceSeconds?: number | undefined } = {},
      ) => webhooks.rotateSecret(id, graceSeconds === undefined ? {} : { graceSeconds }, call),
    },
  }
}

/** The query of a list, with its filters as JSON. */
function withFilters<T extends { readonly filters?: readonly types.Filter[] | undefined }>({ filters, ...options }: T) {
  return { ...options, ...(filters && { filters: JSON.stringify(filters) }) }
}
