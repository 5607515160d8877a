import type { preSerializationHookHandler, RouteOptions } from 'fastify'
import { addRouteHooks } from '../hooks.ts'

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

export function linkNextPages(config: { readonly publicUrl: string }) {
  const linkNextPage: preSerializationHookHandler = ({ url }, reply, payload, done) => {
    if (!isUnfinishedList(payload)) return done()
    // Encodes what a client may send as it is, such as `>`.
    const { pathname, searchParams } = new URL(url, config.publicUrl)
    // The change feed always has a cursor for the next request.
    searchParams.set('hasMore' in payload ? 'since' : 'cursor', payload.nextCursor)
    reply.header('Link', linkHeader([{ url: `${config.publicUrl}${pathname}?${searchParams}`, rel: 'next' }]))
    done()
  }
  return (route: RouteOptions): void => {
    if (route.method === 'GET' || route.method === 'HEAD') addRouteHooks(route, { preSerialization: linkNextPage })
  }
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
