import { ID_PREFIX } from '@recto/lib/text/fragment.ts'

/** Longer targets get no `href`. */
export const MAX_URL_LENGTH = 8192
/** The schemes that a link may have; a relative reference has none. */
export const LINK_SCHEMES = ['http', 'https', 'mailto', 'tel'] as const
export const IMAGE_SCHEMES = ['http', 'https'] as const

/** Allowed link targets: relative references, http, https, mailto and tel. */
export function isAllowedLink(url: string): boolean {
  return isAllowed(url, LINK_SCHEMES)
}

/** Allowed image sources: relative references, http and https, but not data. */
export function isAllowedImage(url: string): boolean {
  return isAllowed(url, IMAGE_SCHEMES)
}

function isAllowed(url: string, schemes: readonly string[]): boolean {
  const scheme = parseScheme(url)
  return url.length <= MAX_URL_LENGTH && (scheme === undefined || schemes.includes(scheme))
}

/** Whether the link has a host, and so may point outside this service. */
export function isExternal(url: string): boolean {
  const scheme = parseScheme(url)
  return scheme === 'http' || scheme === 'https' || /^[\\/]{2}/.test(withoutIgnored(url))
}

/** Adds the id prefix to the fragment of a link to a page. */
export function withPrefixedFragment(url: string): string {
  const hash = url.indexOf('#')
  if (hash === -1) return url
  const fragment = url.slice(hash + 1)
  const target = url.slice(0, hash)
  // `#` and `#top` are the top of the document, `:~:` is a text directive: neither is an id.
  if (fragment === '' || /^user-content-/i.test(fragment) || fragment.startsWith(':~:')) return url
  if (target === '' && fragment.toLowerCase() === 'top') return url
  return isPageTarget(target) ? `${target}#${ID_PREFIX}${fragment}` : url
}

function isPageTarget(target: string): boolean {
  if (target === '' || target.startsWith('/pages/')) return true
  if (target.startsWith('./') || target.startsWith('../')) return true
  return parseScheme(target) === undefined && /^[^/\\?][^?]*\.md(?:\?|$)/.test(target)
}

function parseScheme(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(withoutIgnored(url))?.[1]?.toLowerCase()
}

/** Browsers ignore control characters and white space in and before a scheme: `java\nscript:` would run. */
function withoutIgnored(url: string): string {
  return url.replace(/[\0-\x20]+/g, '')
}
