/** The URLs of pages and files; browser scripts load them, too. */

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

/** The sub-resources of a page, the longest first; `:n` is any one segment. */
export const SUB_RESOURCES = [
  'versions/:n/make-latest',
  'metadata/history',
  'versions/:n',
  'metadata',
  'links',
  'versions',
  'restore',
  'move',
] as const

const FILE_SUB_RESOURCES = ['versions', 'restore', 'move'] as const

/** What has a path below its space: where its URLs begin, and the words that may follow the path. */
const RESOURCES = {
  page: { prefix: '/pages/', patterns: SUB_RESOURCES.map((name) => name.split('/')) },
  file: { prefix: '/files/', patterns: FILE_SUB_RESOURCES.map((name) => name.split('/')) },
  favourite: { prefix: '/me/favourites/', patterns: [] },
  watch: { prefix: '/me/watches/', patterns: [] },
  unsaved: { prefix: '/me/unsaved/', patterns: [] },
  thread: { prefix: '/threads/', patterns: [] },
  share: { prefix: '/shares/', patterns: [] },
  verification: { prefix: '/verifications/', patterns: [] },
} as const
/** Not a space: a thread or a share link by its id. */
const BY_ID = /^\/(?:threads|shares)\/by-id\//
/** The folder of a rule has a path as well, after its space: nothing follows it. */
const RULE = /^(\/spaces\/[^/?#]+\/rules\/)([^?#]+)/
type Resource = keyof typeof RESOURCES
const KINDS = Object.keys(RESOURCES) as Resource[] // its own

/**
 * URL rewrite: encodes the path of a page or file into one segment of the request target, so that a router that matches
 * by segments finds `/pages/:space/:path` and its sub-resources: `/pages/docs/a/b/links` becomes
 * `/pages/docs/a%2Fb/links`. Absolute URLs lose their origin. Any other target, the query and empty segments stay as
 * they are. It never throws.
 */
export function rewritePageUrl(target: string): string {
  const url = originForm(target)
  const [, rules, folder] = RULE.exec(url) ?? []
  if (rules !== undefined && folder !== undefined) {
    return rules + folder.replaceAll('/', '%2F') + url.slice(rules.length + folder.length)
  }
  const resource = KINDS.find((kind) => url.startsWith(RESOURCES[kind].prefix))
  if (resource === undefined || BY_ID.test(url)) return url
  const { prefix } = RESOURCES[resource]
  const end = pathEnd(url)
  const space = url.indexOf('/', prefix.length)
  if (space === -1 || space >= end) return url
  const first = url.indexOf('/', space + 1)
  if (first === -1 || first >= end) return url

  const segments = url.slice(space + 1, end).split('/')
  const own = segments.length - subResourceLength(segments, resource)
  const rest = segments.slice(own).map((segment) => `/${segment}`)
  return url.slice(0, space + 1) + segments.slice(0, own).join('%2F') + rest.join('') + url.slice(end)
}

/** How many segments after the space name a sub-resource: the longest match that leaves a path; 0 if none do. */
export function subResourceLength(segments: readonly string[], resource: Resource = 'page'): number {
  const fits = RESOURCES[resource].patterns.find((pattern) => endsWith(segments, pattern))
  return fits?.length ?? 0
}

function endsWith(segments: readonly string[], pattern: readonly string[]): boolean {
  const start = segments.length - pattern.length
  // No segment, or one empty segment, does not name a page.
  if (start < 1 || (start === 1 && segments[0] === '')) return false
  return pattern.every((word, index) => {
    const segment = segments[start + index] ?? ''
    return word.startsWith(':') ? segment !== '' : decoded(segment) === word
  })
}

/** `%6Cinks` is `links` (RFC 3986, section 6.2.2.2), to the router too. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Proxies may send the absolute URL as the target (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0]
  if (origin === undefined) return target
  const rest = target.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

function pathEnd(url: string): number {
  const end = url.search(/[?#]/)
  return end === -1 ? url.length : end
}
