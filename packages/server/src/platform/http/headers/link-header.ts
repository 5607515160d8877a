import type { Server } from '../server.ts'

/** A link from a response to another resource: a target of the `Link` header (RFC 8288). */
export interface WebLink {
  readonly url: string
  /** Such as `next` (RFC 8288) or `predecessor-version` (RFC 5829). */
  readonly rel: string
  readonly type?: string
}

/** The value of `Link`. The URLs are encoded already: they contain no `>`. */
export function linkHeader(links: readonly WebLink[]): string {
  return links
    .map(({ url, rel, type }) => `<${url}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`)
    .join(', ')
}

/** Links each page of a list to the next one, with the parameters of the request. */
export function linkNextPages(app: Server, origin: () => string): void {
  app.addHook('preSerialization', async (request, reply, payload) => {
    const { method, url } = request
    if ((method !== 'GET' && method !== 'HEAD') || !isUnfinishedList(payload)) return payload
    // Encodes what a client may send as it is, such as `>`.
    const { pathname, searchParams } = new URL(url, origin())
    // The change feed always has a cursor for the next request.
    searchParams.set('hasMore' in payload ? 'since' : 'cursor', payload.nextCursor)
    reply.header('Link', linkHeader([{ url: `${origin()}${pathname}?${searchParams}`, rel: 'next' }]))
    return payload
  })
}

interface UnfinishedList {
  readonly items: readonly unknown[]
  readonly nextCursor: string
}

function isUnfinishedList(payload: unknown): payload is UnfinishedList {
  if (typeof payload !== 'object' || payload === null || !('items' in payload)) return false
  if ('hasMore' in payload && payload.hasMore !== true) return false
  return 'nextCursor' in payload && typeof payload.nextCursor === 'string'
}
