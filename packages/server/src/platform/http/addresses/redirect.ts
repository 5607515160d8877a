import type { FastifyRequest } from 'fastify'
import {
  fileUrl,
  type PageAddress,
  pageMarkdownUrl,
  pageUrl,
  splitMarkdownSuffix,
} from '../../../../../contract/src/page-address.ts'

type Routed = Pick<FastifyRequest, 'url'> & { readonly routeOptions: { readonly url?: string | undefined } }

/** How the pattern of a screen of a page or file ends, such as `/history/:space/*`. */
const SCREEN = '/:space/*'

/**
 * The redirect target of a request for a page, for a sub-resource of it or for a screen or fragment of it after the page has
 * moved to `to`.
 */
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

/** The redirect target of a request for a file, for a sub-resource or for a screen of it, after the file has moved to `to`. */
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
