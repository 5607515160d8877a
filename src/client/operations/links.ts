import { route, targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import { sleep } from '../transport/request.ts'
import type { BrokenLink, Orphan, Rebuild, WantedPage } from '../types.ts'

/** The links of a space. Those of a page are `pages.links` and `pages.backlinks`. */
export interface LinkMethods {
  broken(space: string, options?: ListCall): Listing<BrokenLink>
  /** Pages that no other page links to. */
  orphans(space: string, options?: ListCall): Listing<Orphan>
  /** Missing pages, most linked first. */
  wanted(space: string, options?: ListCall): Listing<WantedPage>
  /** Rebuilds the link index of all spaces or of one; resolves when it is complete. */
  rebuild(options?: CallOptions & { readonly space?: string | undefined }): Promise<Rebuild>
  /** Progress of a rebuild. */
  rebuildStatus(id: string, call?: CallOptions): Promise<Rebuild>
}

const POLL_MS = 1_000

/** The methods of links. */
export function linkMethods(connection: Connection): LinkMethods {
  const api = jsonApi(connection)
  const rebuildStatus = (id: string, call?: CallOptions) =>
    api.get<Rebuild>(route`/links/rebuild/${id}`, call)
  return {
    broken: (space, options) => api.list(route`/spaces/${space}/links/broken`, options),
    orphans: (space, options) => api.list(route`/spaces/${space}/links/orphans`, options),
    wanted: (space, options) => api.list(route`/spaces/${space}/links/wanted`, options),

    async rebuild({ space, ...call } = {}) {
      let rebuild = await api.post<Rebuild>(targetWithQuery('/links/rebuild', { space }), undefined, call)
      while (rebuild.status !== 'done') {
        await sleep(POLL_MS, call.signal)
        rebuild = await rebuildStatus(rebuild.id, call)
      }
      return rebuild
    },
    rebuildStatus,
  }
}
