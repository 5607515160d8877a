import { AppError } from '@recto/contract/errors.ts'
import { type PageAddress, splitMarkdownSuffix } from '@recto/contract/page-address.ts'
import { fileUrl, pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { originOfHost } from '@recto/lib/network/own-origins.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Routed = Pick<FastifyRequest, 'url'> & { readonly routeOptions: { readonly url?: string | undefined } }

/** How the pattern of a screen of a page or file ends, such as `/history/:space/*`. */
const SCREEN = '/:space/*'

/** The redirect target of a request for a page, its sub-resource, screen or fragment after a move to `to`. */
export function redirectToPage(request: Routed & Pick<FastifyRequest, 'params'>, to: PageAddress): string {
  const { target, tail } = split(request.url)
  const screen = redirectToScreen(request, to)
  if (screen !== undefined) return screen + tail
  const { path } = request.params as { path?: string } // of a route below `/pages/:space/:path`
  // The slashes within the path of the page are encoded as `%2F`.
  const subResource = target.split('/').slice(4)
  const markdown = path !== undefined && splitMarkdownSuffix(path).markdown && subResource.length === 0
  const url = (markdown ? pageMarkdownUrl : pageUrl)(to.space, to.path)
  return [url, ...subResource].join('/') + tail
}

/** The redirect target of a request for a file, its sub-resource or screen after a move to `to`. */
export function redirectToFile(request: Routed, to: PageAddress): string {
  const { target, tail } = split(request.url)
  const url = redirectToScreen(request, to)
  return (url ?? [fileUrl(to.space, to.path), ...target.split('/').slice(4)].join('/')) + tail
}

/** The redirect target of a request that names a space by a former slug. */
export function redirectToSpace(
  { url, routeOptions }: Routed,
  { formerSlug, slug }: { formerSlug: string; slug: string },
): string {
  const { target, tail } = split(url)
  const at = (routeOptions.url ?? '').split('/').findIndex((name) => /^:(space|slug)\??$/.test(name))
  const segments = target.split('/').map((segment, index) => (index === at ? slug : segment))
  return segments.join('/') + tail.replace(new RegExp(`([?&]space=)${formerSlug}(?=&|$)`), `$1${slug}`)
}

function redirectToScreen({ routeOptions: { url = '' } }: Routed, to: PageAddress): string | undefined {
  if (!url.endsWith(SCREEN)) return undefined
  const path = to.path.split('/').map(encodeURIComponent).join('/')
  return `${url.slice(0, -SCREEN.length)}/${to.space}/${path}`
}

/** The path of a URL, and its query with the question mark. */
function split(url: string): { readonly target: string; readonly tail: string } {
  const index = url.indexOf('?')
  return index === -1 ? { target: url, tail: '' } : { target: url.slice(0, index), tail: url.slice(index) }
}

/** The address to which a page or file has moved, if that is the error. */
export function findMovedAddress(error: unknown): PageAddress | undefined {
  if (!(error instanceof AppError) || !['page_moved', 'file_moved'].includes(error.code)) return undefined
  const to = error.extras.members?.movedTo
  return isJsonObject(to) ? { space: String(to.space), path: String(to.path) } : undefined
}

/** Redirects GET and HEAD from a URL with a slash at its end, and from `/pages/<space>` to the space. */
export function redirectUntidyUrls(spaceUrl: (slug: string) => string) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    const target = request.method === 'GET' || request.method === 'HEAD' ? tidyUrl(request, spaceUrl) : undefined
    if (target === undefined) return undefined
    return reply.header('Cache-Control', 'no-store').redirect(target, 308)
  }
}

/** The URL of a space among those of its pages, as people shorten them. */
const SPACE = /^\/pages\/([a-z0-9]+(?:-[a-z0-9]+)*)$/

function tidyUrl(
  { originalUrl, is404 }: { readonly originalUrl: string; readonly is404: boolean },
  spaceUrl: (slug: string) => string,
): string | undefined {
  const end = originalUrl.search(/[?#]/)
  const path = end === -1 ? originalUrl : originalUrl.slice(0, end)
  const query = originalUrl.slice(path.length)
  const slug = is404 ? SPACE.exec(path)?.[1] : undefined
  if (slug !== undefined) return spaceUrl(slug) + query
  // An empty segment or a backslash could begin the name of another host.
  if (!/^\/.*[^/]\/$/.test(path) || /\/\/|\\/.test(path)) return undefined
  return path.slice(0, -1) + query
}

const CREATED = new Set([201, 202])
const MOVED = new Set([307, 308])

/** Makes `Location` of what was created, accepted or moved absolute. */
export function sendAbsoluteLocation(config: { readonly publicUrl: string }) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const location = reply.getHeader('location')
    if (typeof location !== 'string' || !location.startsWith('/')) return
    if (CREATED.has(reply.statusCode)) reply.header('Location', config.publicUrl + location)
    if (MOVED.has(reply.statusCode)) reply.header('Location', usedOrigin(request.host, config.publicUrl) + location)
  }
}

/**
 * The origin that a redirect names. Clients send no credential to another origin than the one that they used, and the
 * header `Host` is not trusted: a request by an unknown name gets a relative redirect.
 */
function usedOrigin(host: string, origin: string): string {
  return originOfHost(host, origin) ?? ''
}
