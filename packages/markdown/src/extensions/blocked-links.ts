import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { isAllowedImage, isAllowedLink } from '../urls.ts'

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
