import { route, targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import { sleep } from '../transport/request.ts'
import type { BrokenLink, Orphan, Rebuild, WantedPage } from '../types.ts'

const POLL_MS = 1_000

/** The links of a space. Those of a page are `pages.links` and `pages.backlinks`. */
export function linkMethods(connection: Connection) {
  const api = jsonApi(connection)
  const rebuildStatus = (id: string, call?: CallOptions) =>
    api.get<Rebuild>(route`/links/rebuild/${id}`, call)
  return {
    broken: (space: string, options?: ListCall): Listing<BrokenLink> =>
      api.list(route`/spaces/${space}/links/broken`, options),
    /** Pages that no other page links to. */
    orphans: (space: string, options?: ListCall): Listing<Orphan> =>
      api.list(route`/spaces/${space}/links/orphans`, options),
    /** Missing pages, most linked first. */
    wanted: (space: string, options?: ListCall): Listing<WantedPage> =>
      api.list(route`/spaces/${space}/links/wanted`, options),

    /** Rebuilds the link index of all spaces or of one; resolves when it is complete. */
    async rebuild({
      space,
      ...call
    }: CallOptions & { readonly space?: string | undefined } = {}): Promise<Rebuild> {
      let rebuild = await api.post<Rebuild>(targetWithQuery('/links/rebuild', { space }), undefined, call)
      while (rebuild.status !== 'done') {
        await sleep(POLL_MS, call.signal)
        rebuild = await rebuildStatus(rebuild.id, call)
      }
      return rebuild
    },
    /** Progress of a rebuild. */
    rebuildStatus,
  }
}
