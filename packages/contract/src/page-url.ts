/** The URLs of pages and files; browser scripts load them, too. */
import { subResourceLength } from './page-url-rewrite.ts'

export const MARKDOWN_SUFFIX = '.md'

/**
 * The relative URL of a page: rewritten, decoded once and parsed it gives the same path again, also with the name of
 * a sub-resource after it. Slashes are written as `%2F` only if the end of the path would be taken for a
 * sub-resource. A path that itself ends in `.md` gets a second one, since the first is always removed: such a page is
 * reached, but GET returns Markdown whatever it accepts.
 */
export function pageUrl(space: string, path: string): string {
  return toUrl(space, hasMarkdownSuffix(path) ? path + MARKDOWN_SUFFIX : path)
}

/** The relative URL of the page's Markdown. Appending `.md` to `pageUrl` would be wrong for a path that ends in it. */
export function pageMarkdownUrl(space: string, path: string): string {
  return toUrl(space, path + MARKDOWN_SUFFIX)
}

/** The relative URL of a file. Its path is its whole name: nothing is cut from the end. */
export function fileUrl(space: string, path: string): string {
  return toUrl(space, path, 'file')
}

function toUrl(space: string, path: string, resource: 'page' | 'file' = 'page'): string {
  const segments = path.split('/').map(encodeSegment)
  const slash = subResourceLength(segments, resource) > 0 ? '%2F' : '/'
  return `/${resource}s/${encodeSegment(space)}/${segments.join(slash)}`
}

/** Whether a path ends in `.md`, unless that is all of its last segment. */
export function hasMarkdownSuffix(path: string): boolean {
  return path.endsWith(MARKDOWN_SUFFIX) && path.length > MARKDOWN_SUFFIX.length && !path.endsWith(`/${MARKDOWN_SUFFIX}`)
}

/** encodeURIComponent also encodes `$&+,;=:@`, which a segment may contain (RFC 3986, `pchar`). */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent)
}
