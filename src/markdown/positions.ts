import MarkdownIt, { type Token } from 'markdown-it'

/**
 * markdown-it keeps lines for blocks only. Here `map` of an inline token holds, twice, the offset within the
 * inline's content at which the token was found, so that a link's line can be told.
 */
export class PositionedInline extends MarkdownIt.StateInline {
  override pushPending(): Token {
    return positioned(super.pushPending(), this.pos)
  }

  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    return positioned(super.push(type, tag, nesting), this.pos)
  }
}

function positioned(token: Token, pos: number): Token {
  token.map = [pos, pos]
  return token
}
