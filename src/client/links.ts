import { pageTarget, route, targetWithQuery } from './address.ts'
import { jsonApi } from './json.ts'
import { type ListCall, type Listing, listingOf } from './paging.ts'
import { type CallOptions, type Connection, sleep } from './request.ts'
import type { Backlink, BrokenLink, Neighbourhood, Orphan, PageLinks, Rebuild, WantedPage } from './types.ts'

/** Links between pages. */
export interface LinkMethods {
  /** All links of a page, and the first of the pages that link to it. */
  getLinks(space: string, path: string, options?: ListCall): Promise<PageLinks>
  /** Every page that links to a page. */
  listBacklinks(space: string, path: string, options?: ListCall): Listing<Backlink>
  /** All pages within `depth` links of a page, 1 to 3, as nodes and edges. */
  getNeighbourhood(space: string, path: string, depth: number, call?: CallOptions): Promise<Neighbourhood>
  listBrokenLinks(space: string, options?: ListCall): Listing<BrokenLink>
  /** Pages that no other page links to. */
  listOrphans(space: string, options?: ListCall): Listing<Orphan>
  /** Missing pages, most linked first. */
  listWanted(space: string, options?: ListCall): Listing<WantedPage>
  /** Rebuilds the link index of all spaces or of one; resolves when it is complete. */
  rebuildLinks(options?: CallOptions & { readonly space?: string | undefined }): Promise<Rebuild>
  /** Progress of a rebuild. */
  getRebuild(id: string, call?: CallOptions): Promise<Rebuild>
}

const POLL_MS = 1_000

/** The methods of links. */
export function linkMethods(connection: Connection): LinkMethods {
  const api = jsonApi(connection)
  const getLinks = (
    space: string,
    path: string,
    { signal, ...query }: ListCall & { readonly cursor?: string } = {},
  ) => api.get<PageLinks>(targetWithQuery(pageTarget(space, path, '/links'), query), { signal })
  const getRebuild = (id: string, call?: CallOptions) => api.get<Rebuild>(route`/links/rebuild/${id}`, call)
  return {
    getLinks,
    getRebuild,

    listBacklinks: (space, path, options = {}) =>
      listingOf(async (cursor) => {
        const links = await getLinks(space, path, { ...options, ...(cursor !== undefined && { cursor }) })
        return { items: links.backlinks, nextCursor: links.nextCursor }
      }),
    getNeighbourhood: (space, path, depth, call) =>
      api.get(targetWithQuery(pageTarget(space, path, '/links'), { depth }), call),
    listBrokenLinks: (space, options) => api.list(route`/spaces/${space}/links/broken`, options),
    listOrphans: (space, options) => api.list(route`/spaces/${space}/links/orphans`, options),
    listWanted: (space, options) => api.list(route`/spaces/${space}/links/wanted`, options),

    async rebuildLinks({ space, signal } = {}) {
      let rebuild = await api.post<Rebuild>(targetWithQuery('/links/rebuild', { space }), undefined, {
        signal,
      })
      while (rebuild.status !== 'done') {
        await sleep(POLL_MS, signal)
        rebuild = await getRebuild(rebuild.id, { signal })
      }
      return rebuild
    },
  }
}
