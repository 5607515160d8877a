import MarkdownIt, { type Delimiter, type Env, type MarkdownIt as Parser, type Token } from 'markdown-it'

/**
 * The states of markdown-it, with two differences. They and their tokens are made field by field of a known shape, for
 * which the constructors of markdown-it take several times as long: that was two fifths of parsing. And `map` of an
 * inline token, which markdown-it leaves empty, contains its offset within the content of the inline twice, so that the
 * line of a link is known.
 */
export function useOwnStates(md: Parser): void {
  md.block.State = BlockState as unknown as typeof md.block.State // by its fields and its prototype
  md.inline.State = InlineState as unknown as typeof md.inline.State
}

/** The text token that the inline state would create for content that is only text. */
export function textToken(content: string): Token {
  return new FreshToken('text', '', 0, content, 0, [content.length, content.length])
}

type Nesting = -1 | 0 | 1

class BlockState {
  readonly bMarks: number[] = []
  readonly eMarks: number[] = []
  readonly tShift: number[] = []
  readonly sCount: number[] = []
  readonly bsCount: number[] = []
  blkIndent = 0
  line = 0
  lineMax = 0
  tight = false
  listIndent = -1
  parentType = 'root'
  level = 0
  readonly Token = MarkdownIt.Token
  readonly src: string
  readonly md: Parser
  readonly env: Env
  readonly tokens: Token[]

  constructor(src: string, md: Parser, env: Env, tokens: Token[]) {
    this.src = src
    this.md = md
    this.env = env
    this.tokens = tokens
    for (let start = 0; start < src.length; ) start = this.#addLine(start)
    this.lineMax = this.bMarks.length
    this.#mark(src.length, src.length, 0, 0)
  }

  push(type: string, tag: string, nesting: Nesting): Token {
    if (nesting === -1) this.level--
    const token = new FreshToken(type, tag, nesting, '', this.level, null)
    if (nesting === 1) this.level++
    this.tokens.push(token)
    return token
  }

  /** Returns the start of the next line. As in markdown-it, white space at the end of the body is no line. */
  #addLine(start: number): number {
    const { src } = this
    const lineEnd = src.indexOf('\n', start)
    const end = lineEnd === -1 ? src.length : lineEnd
    let at = start
    let column = 0
    for (; at < end; at++) {
      const code = src.charCodeAt(at)
      if (code === TAB) column += 4 - (column % 4)
      else if (code === SPACE) column++
      else break
    }
    if (at < end || lineEnd !== -1) this.#mark(start, end, at - start, column)
    return end + 1
  }

  /** A line from `start` to `end`, with its indentation in characters and in columns. */
  #mark(start: number, end: number, indent: number, column: number): void {
    this.bMarks.push(start)
    this.eMarks.push(end)
    this.tShift.push(indent)
    this.sCount.push(column)
    this.bsCount.push(0)
  }
}
Object.setPrototypeOf(BlockState.prototype, MarkdownIt.StateBlock.prototype)

const TAB = 9
const SPACE = 32

class InlineState {
  pos = 0
  level = 0
  pending = ''
  pendingLevel = 0
  readonly cache: Record<number, number> = {}
  backticks: Record<number, number> = {}
  backticksScanned = false
  skipHtmlSpecial = false
  linkLevel = 0
  delimiters: Delimiter[] = []
  readonly _prev_delimiters: Delimiter[][] = []
  readonly Token = MarkdownIt.Token
  readonly src: string
  readonly env: Env
  readonly md: Parser
  readonly tokens: Token[]
  readonly tokens_meta: ({ readonly delimiters: Delimiter[] } | undefined)[]
  posMax: number

  constructor(src: string, md: Parser, env: Env, tokens: Token[]) {
    this.src = src
    this.env = env
    this.md = md
    this.tokens = tokens
    this.tokens_meta = Array(tokens.length)
    this.posMax = src.length
  }

  pushPending(): Token {
    const token = new FreshToken('text', '', 0, this.pending, this.pendingLevel, [this.pos, this.pos])
    this.tokens.push(token)
    this.pending = ''
    return token
  }

  /** Between an opening and its closing token delimiters pair up among themselves. */
  push(type: string, tag: string, nesting: Nesting): Token {
    if (this.pending !== '') this.pushPending()
    if (nesting === -1) {
      this.level--
      this.delimiters = this._prev_delimiters.pop() ?? []
    }
    const token = new FreshToken(type, tag, nesting, '', this.level, [this.pos, this.pos])
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
Object.setPrototypeOf(InlineState.prototype, MarkdownIt.StateInline.prototype)

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

  constructor(
    type: string,
    tag: string,
    nesting: Nesting,
    content: string,
    level: number,
    map: [number, number] | null,
  ) {
    this.type = type
    this.tag = tag
    this.nesting = nesting
    this.level = level
    this.map = map
    this.content = content
    // Only tokens of blocks are made without their lines.
    this.block = map === null
  }
}
Object.setPrototypeOf(Fresh.prototype, MarkdownIt.Token.prototype)

/** Its fields and its prototype make it a token. */
const FreshToken = Fresh as unknown as new (...fields: ConstructorParameters<typeof Fresh>) => Token
