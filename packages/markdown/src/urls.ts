import { ID_PREFIX } from '@recto/lib/text/fragment.ts'
import type { MarkdownIt, StateCore, Token } from 'markdown-it'

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

/**
 * Replaces links and images whose target is not allowed by their text. A pass over the tokens, because markdown-it's
 * `validateLink` would turn a reference definition, and every one after it, into text.
 */
export function dropBlockedLinks(md: MarkdownIt): void {
  // After `linkify`, which does not look for URLs in the text of a link.
  md.core.ruler.after('linkify', 'blocked_links', (state) => {
    for (const block of state.tokens) {
      if (block.children?.some(isBlocked)) block.children = withoutBlocked(state, block.children)
    }
  })
}

function isBlocked(token: Token): boolean {
  if (token.type === 'link_open') return !isAllowedLink(String(token.attrGet('href') ?? ''))
  return token.type === 'image' && !isAllowedImage(String(token.attrGet('src') ?? ''))
}

function withoutBlocked(state: StateCore, tokens: readonly Token[]): Token[] {
  const keptTokens: Token[] = []
  // For each open link, whether it is kept.
  const open: boolean[] = []
  for (const token of tokens) {
    const hasBlockedTarget = isBlocked(token)
    if (token.type === 'link_open') open.push(!hasBlockedTarget)
    if (token.type === 'image' && hasBlockedTarget) keptTokens.push(altText(state, token))
    else if (!hasBlockedTarget && (token.type !== 'link_close' || open.pop())) keptTokens.push(token)
  }
  return keptTokens
}

function altText(state: StateCore, image: Token): Token {
  const { md, env } = state
  const text = new state.Token('text', '', 0)
  text.content = md.renderer.renderInlineAsText(image.children ?? [], md.options, env)
  text.map = image.map
  return text
}
