/** What stands before every id that comes from a body, so that no id of a page can be mistaken for one of ours. */
export const ID_PREFIX = 'user-content-'

/** Longer targets get no `href`: nothing sensible is that long, and each copy of it would be paid for. */
export const MAX_URL_LENGTH = 8192
/** The schemes that a link may have; a relative reference has none. */
export const LINK_SCHEMES = ['http', 'https', 'mailto', 'tel'] as const
export const IMAGE_SCHEMES = ['http', 'https'] as const

/** Whether a link of a body may lead there: a relative reference, http, https, mailto or tel. */
export function isAllowedLink(url: string): boolean {
  return isAllowed(url, LINK_SCHEMES)
}

/** Whether an image may be loaded from there: a relative reference, http or https, never data. */
export function isAllowedImage(url: string): boolean {
  return isAllowed(url, IMAGE_SCHEMES)
}

function isAllowed(url: string, schemes: readonly string[]): boolean {
  const scheme = schemeOf(url)
  return url.length <= MAX_URL_LENGTH && (scheme === undefined || schemes.includes(scheme))
}

/** Whether the link names a host, and so may leave this service. */
export function isExternal(url: string): boolean {
  const scheme = schemeOf(url)
  return scheme === 'http' || scheme === 'https' || /^[\\/]{2}/.test(withoutIgnored(url))
}

/** The link with its fragment led to the prefixed id, when it leads to a part of a page of ours. */
export function withPrefixedFragment(url: string): string {
  const hash = url.indexOf('#')
  if (hash === -1) return url
  const fragment = url.slice(hash + 1)
  const target = url.slice(0, hash)
  // `#` and `#top` mean the top of the document, `:~:` is a text directive: neither names an id.
  if (fragment === '' || fragment.startsWith(ID_PREFIX) || fragment.startsWith(':~:')) return url
  if (target === '' && fragment.toLowerCase() === 'top') return url
  return leadsToPage(target) ? `${target}#${ID_PREFIX}${fragment}` : url
}

function leadsToPage(target: string): boolean {
  if (target === '' || target.startsWith('/pages/')) return true
  if (target.startsWith('./') || target.startsWith('../')) return true
  return schemeOf(target) === undefined && /^[^/\\?][^?]*\.md(?:\?|$)/.test(target)
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(withoutIgnored(url))?.[1]?.toLowerCase()
}

/** Browsers drop control characters and white space within and before a scheme: `java\nscript:` runs. */
function withoutIgnored(url: string): string {
  return url.replace(/[\0-\x20]+/g, '')
}
