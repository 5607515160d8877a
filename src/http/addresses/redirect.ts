import type { FastifyRequest } from 'fastify'
import { fileUrl, type PageAddress, pageMarkdownUrl, pageUrl, splitMarkdownSuffix } from './page-address.ts'

/**
 * The redirect target of a request for a page, for a sub-resource of it or for a screen of it (`/history/:space/*`) after
 * the page has moved to `to`.
 */
export function redirectToPage(request: Pick<FastifyRequest, 'url' | 'params'>, to: PageAddress): string {
  const { path } = request.params as { path?: string } // of a route below `/pages/:space/:path`
  const [target = '', query] = split(request.url, '?')
  const tail = query === undefined ? '' : `?${query}`
  const screen = /^\/(?!pages\/)([a-z]+)\//.exec(target)?.[1]
  if (screen !== undefined)
    return `/${screen}/${to.space}/${to.path.split('/').map(encodeURIComponent).join('/')}${tail}`
  // The slashes within the path of the page are encoded as `%2F`.
  const subResource = target.split('/').slice(4)
  const markdown = path !== undefined && splitMarkdownSuffix(path).markdown && subResource.length === 0
  const url = (markdown ? pageMarkdownUrl : pageUrl)(to.space, to.path)
  return [url, ...subResource].join('/') + tail
}

/** The redirect target of a request for a file, or for a sub-resource of it, after the file has moved to `to`. */
export function redirectToFile(url: string, to: PageAddress): string {
  const [target = '', query] = split(url, '?')
  const tail = query === undefined ? '' : `?${query}`
  return [fileUrl(to.space, to.path), ...target.split('/').slice(4)].join('/') + tail
}

/** The redirect target of a request that names a space by a former slug. */
export function redirectToSpace(
  url: string,
  { formerSlug, slug }: { formerSlug: string; slug: string },
): string {
  return url
    .replace(new RegExp(`^(/[a-z]+/(?:[a-z]+/)??)${formerSlug}(?=[/?]|$)`), `$1${slug}`)
    .replace(new RegExp(`([?&]space=)${formerSlug}(?=&|$)`), `$1${slug}`)
}

function split(text: string, at: string): [string, string?] {
  const index = text.indexOf(at)
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}
