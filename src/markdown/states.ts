import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it'

/**
 * The states of markdown-it, with two differences. Tokens are made field by field of a known shape, for which its own
 * constructor takes several times as long: that was two fifths of parsing. And `map` of an inline token, which
 * markdown-it leaves empty, contains its offset within the content of the inline twice, so that the line of a link is
 * known.
 */
export function useOwnStates(md: Parser): void {
  md.block.State = BlockState
  md.inline.State = InlineState
}

/** The text token that the inline state would create for content that is only text. */
export function textToken(content: string): Token {
  return makeToken('text', '', 0, { content, map: [content.length, content.length] })
}

class BlockState extends MarkdownIt.StateBlock {
  override push(type: string, tag: string, nesting: Nesting): Token {
    if (nesting === -1) this.level--
    const token = makeToken(type, tag, nesting, { level: this.level, block: true })
    if (nesting === 1) this.level++
    this.tokens.push(token)
    return token
  }
}

class InlineState extends MarkdownIt.StateInline {
  override pushPending(): Token {
    const { pending: content, pendingLevel: level, pos } = this
    const token = makeToken('text', '', 0, { content, level, map: [pos, pos] })
    this.tokens.push(token)
    this.pending = ''
    return token
  }

  /** Between an opening and its closing token delimiters pair up among themselves. */
  override push(type: string, tag: string, nesting: Nesting): Token {
    if (this.pending !== '') this.pushPending()
    if (nesting === -1) {
      this.level--
      this.delimiters = this._prev_delimiters.pop() ?? []
    }
    const token = makeToken(type, tag, nesting, { level: this.level, map: [this.pos, this.pos] })
    this.tokens.push(token)
    if (nesting === 1) {
      this.level++
      this._prev_delimiters.push(this.delimiters)
      this.delimiters = []
      this.tokens_meta.push({ delimiters: this.delimiters })
    } else this.tokens_meta.push(undefined)
    this.pendingLevel = this.level
    return token
  }
}

type Nesting = -1 | 0 | 1
type Fields = Pick<Token, 'level' | 'map' | 'content' | 'block'>

/** The fields of every token; the methods are those of markdown-it. */
class Fresh {
  readonly attrs = null
  readonly children = null
  readonly markup = ''
  readonly info = ''
  readonly meta = null
  readonly hidden = false
  readonly type: string
  readonly tag: string
  readonly nesting: Nesting
  readonly level: number
  readonly map: [number, number] | null
  readonly content: string
  readonly block: boolean

  constructor(type: string, tag: string, nesting: Nesting, fields: Partial<Fields>) {
    this.type = type
    this.tag = tag
    this.nesting = nesting
    this.level = fields.level ?? 0
    this.map = fields.map ?? null
    this.content = fields.content ?? ''
    this.block = fields.block ?? false
  }
}
Object.setPrototypeOf(Fresh.prototype, MarkdownIt.Token.prototype)

function makeToken(type: string, tag: string, nesting: Nesting, fields: Partial<Fields>): Token {
  return new Fresh(type, tag, nesting, fields) as unknown as Token // by its fields and its prototype
}
