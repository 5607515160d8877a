import { pageTarget, spaceTarget, withQuery } from './address.ts'
import { jsonOf, read, requestJson } from './json.ts'
import { type ListCall, type Listing, listing, listingOf } from './paging.ts'
import { type CallOptions, type Connection, send, sleep } from './request.ts'
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
  const getLinks = (space: string, path: string, { signal, ...query }: ListCall & { cursor?: string } = {}) =>
    requestJson<PageLinks>(connection, {
      ...read,
      target: withQuery(pageTarget(space, path, '/links'), query),
      signal,
    })
  const getRebuild = (id: string, { signal }: CallOptions = {}) =>
    requestJson<Rebuild>(connection, { ...read, target: `/links/rebuild/${encodeURIComponent(id)}`, signal })
  return {
    getLinks,
    getRebuild,

    listBacklinks: (space, path, options = {}) =>
      listingOf(async (cursor) => {
        const links = await getLinks(space, path, { ...options, ...(cursor !== undefined && { cursor }) })
        return { items: links.backlinks, nextCursor: links.nextCursor }
      }),

    getNeighbourhood: (space, path, depth, { signal } = {}) =>
      requestJson(connection, {
        ...read,
        target: withQuery(pageTarget(space, path, '/links'), { depth }),
        signal,
      }),

    listBrokenLinks: (space, options = {}) =>
      listing(connection, spaceTarget(space, '/links/broken'), { ...options }),
    listOrphans: (space, options = {}) =>
      listing(connection, spaceTarget(space, '/links/orphans'), { ...options }),
    listWanted: (space, options = {}) =>
      listing(connection, spaceTarget(space, '/links/wanted'), { ...options }),

    async rebuildLinks({ space, signal } = {}) {
      const target = withQuery('/links/rebuild', { space })
      let rebuild = jsonOf<Rebuild>(await send(connection, { method: 'POST', target, signal }))
      while (rebuild.status !== 'done') {
        await sleep(POLL_MS, signal)
        rebuild = await getRebuild(rebuild.id, { signal })
      }
      return rebuild
    },
  }
}
