import type { Token } from 'markdown-it'
import type { TokenFacts } from './facts.ts'
import { rawText } from './raw-html.ts'
import { textToken } from './states.ts'

/** What a reader of a page sees, with line breaks between blocks and cells. */
export interface VisibleText {
  readonly text: string
  /** Offsets in the text, each followed by its line of the body, counted from 1. Line breaks in between count. */
  readonly textLines: readonly number[]
}

const SPACE = textToken(' ')

/** Elements that do not separate the words around them. */
const INLINE = new Set(
  (
    'a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strike strong sub sup time tt u var ' +
    'wbr'
  ).split(' '),
)

/** The text of the token stream. Alternative texts of images are a part of it: they are searched for, too. */
export function collectText(
  tokens: readonly Token[],
  splitPieces: TokenFacts['splitPieces'],
  linesBefore: number,
): VisibleText {
  const writer = new VisibleTextWriter(splitPieces)
  let line = 0
  for (const token of tokens) {
    // Only rows of tables have line numbers, not their cells.
    line = token.map?.[0] ?? line
    writer.addBlock(token, linesBefore + line + 1)
  }
  return { text: writer.parts.join(''), textLines: writer.textLines }
}

class VisibleTextWriter implements Pick<VisibleText, 'textLines'> {
  readonly parts: string[] = []
  readonly textLines: number[] = []
  readonly #splitPieces: TokenFacts['splitPieces']
  #length = 0

  constructor(splitPieces: TokenFacts['splitPieces']) {
    this.#splitPieces = splitPieces
  }

  addBlock(token: Token, line: number): void {
    if (token.type === 'alert_open') this.#write(`${token.info}\n`)
    else if (token.block && token.nesting !== 0) this.#write('\n')
    else {
      // The first line of a fence is not shown.
      this.textLines.push(this.#length, token.type === 'fence' ? line + 1 : line)
      if (token.type === 'html_block') this.#addHtml(token)
      else if (token.type === 'inline') this.#addInlines(token.children ?? [])
      else this.#write(token.content)
      this.#write('\n')
    }
  }

  #addInlines(tokens: readonly Token[]): void {
    for (const token of tokens) {
      if (token.type === 'html_inline') this.#addHtml(token)
      else if (token.type === 'image') this.#addInlines([SPACE, ...(token.children ?? []), SPACE])
      else if (token.type === 'softbreak' || token.type === 'hardbreak') this.#write('\n')
      else if (token.type === 'footnote_reference') this.#write(` ${token.meta?.number} `)
      else if (token.nesting === 0) this.#write(token.content)
    }
  }

  #addHtml(token: Token): void {
    for (const piece of this.#splitPieces.get(token) ?? []) {
      if (piece.kind === 'text') this.#write(rawText(piece.source))
      else if (!INLINE.has(piece.name)) this.#write(' ')
      if (piece.kind === 'open' && piece.name === 'img') this.#write(`${piece.attributes.get('alt') ?? ''} `)
    }
  }

  #write(text: string): void {
    this.parts.push(text)
    this.#length += text.length
  }
}
