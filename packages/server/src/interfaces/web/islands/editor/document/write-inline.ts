import type { Mark, Node } from 'prosemirror-model'
import { type Escaping, escapeLineStarts, escapeText, writeCode, writeImageTag, writeTarget } from './escape.ts'
import type { Page } from './page.ts'

/** Where the text is: only a paragraph has several lines, and only in a cell a pipe ends it. */
export type Place = 'paragraph' | 'heading' | 'lines' | 'cell'

/** One way to write a text. `html` writes emphasis as elements, which Markdown cannot always express. */
export interface Manner {
  readonly escaping: Escaping
  readonly emphasis: 'own' | 'mixed' | 'html'
  readonly lines: 'own' | 'one'
}

/** From the plainest to the surest. */
export const MANNERS: readonly Manner[] = [
  { escaping: 'none', emphasis: 'own', lines: 'own' },
  { escaping: 'likely', emphasis: 'own', lines: 'own' },
  { escaping: 'none', emphasis: 'mixed', lines: 'own' },
  { escaping: 'likely', emphasis: 'mixed', lines: 'own' },
  { escaping: 'likely', emphasis: 'html', lines: 'own' },
  { escaping: 'all', emphasis: 'html', lines: 'own' },
  { escaping: 'all', emphasis: 'html', lines: 'one' },
]

interface Options extends Manner {
  readonly place: Place
  readonly page: Page
  /** Whether the references of the page are still defined. */
  readonly hasReferences: boolean
}

/** An inline node and its marks that are not written yet. */
interface Piece {
  readonly node: Node
  readonly marks: readonly Mark[]
}

/** The Markdown of a text, which `trimContent` has made. */
export function writeInline(content: readonly Node[], options: Options): string {
  const { place, escaping } = options
  const pieces = content.map((node) => ({ node, marks: node.marks.filter(({ type }) => type.name !== 'code') }))
  const text = new InlineWriter(options).writePieces(pieces)
  if (escaping === 'none') return place === 'cell' ? text.replaceAll('|', '\\|') : text
  // The parser drops white space at the ends of a heading or a cell.
  const line = text.replace(/^[^\S \t\n]|[^\S \t\n]$/g, (space) => `&#${space.charCodeAt(0)};`)
  if (place === 'cell') return line.replaceAll('|', '\\|')
  if (place !== 'heading') return escapeLineStarts(line)
  return escaping === 'likely' ? line.replace(/#+$/, '\\$&') : line
}

class InlineWriter {
  readonly #options: Options
  readonly #isOneLine: boolean
  #isInLink = false

  constructor(options: Options) {
    this.#options = options
    this.#isOneLine = options.lines === 'one' || options.place === 'heading' || options.place === 'cell'
  }

  writePieces(pieces: readonly Piece[]): string {
    let text = ''
    for (let index = 0; index < pieces.length; ) {
      const { mark, end } = findOutermost(pieces, index)
      const { node } = pieces[index] ?? {}
      const inner = pieces.slice(index, end).map(({ node, marks }) => ({ node, marks: withoutMark(marks, mark) }))
      if (mark) text += this.#writeMark(mark, inner)
      else if (node) text = this.#separate(text, node) + this.#writeLeaf(node, text)
      index = end
    }
    return text
  }

  /** No formula begins after a letter or a digit, which is an entity then. */
  #separate(text: string, { type }: Node): string {
    if (type.name !== 'formula' || this.#options.escaping === 'none') return text
    return text.replace(/[\p{L}\p{N}]$/u, (char) => `&#${char.codePointAt(0)};`)
  }

  #writeMark(mark: Mark, pieces: readonly Piece[]): string {
    if (mark.type.name === 'link') return this.#writeLink(mark, pieces)
    // White space at the ends is outside: emphasis does not begin or end with it.
    const [, before = '', text = '', after = ''] = /^([ \t\n]*)(.*?)([ \t\n]*)$/s.exec(this.writePieces(pieces)) ?? []
    if (text === '') return before + after
    const markup = this.#findMarkup(mark)
    const [open, close] = /^\w/.test(markup) ? [`<${markup}>`, `</${markup}>`] : [markup, markup]
    return before + open + text + close + after
  }

  #findMarkup({ type: { name }, attrs }: Mark): string {
    if (name === 'element') return attrs.tag
    if (name === 'highlight') return 'mark'
    const { emphasis, page } = this.#options
    const isStrike = name === 'strike'
    if (emphasis === 'html') return isStrike ? 'del' : name
    if (emphasis === 'mixed' && !isStrike) return name === 'em' ? '_' : '**'
    return attrs.markup ?? page.style[name as 'em' | 'strong' | 'strike'] // the remaining marks
  }

  #writeLink({ attrs: { href, title, form } }: Mark, pieces: readonly Piece[]): string {
    const [first] = pieces
    const plainText = pieces.length === 1 && first?.marks.length === 0 ? (first.node.text ?? '') : ''
    const isAddress = [href, href.replace(/^(?:http:\/\/|mailto:)/, '')].includes(plainText) && title === ''
    if (isAddress && form === '<>' && !/[\s<>]/.test(plainText)) return `<${plainText}>`
    if (isAddress && this.#options.escaping === 'none' && (form === 'bare' || /^https?:/.test(plainText)))
      return plainText
    this.#isInLink = true
    const text = this.writePieces(pieces)
    this.#isInLink = false
    return this.#isReference(text, form, href) ? `[${text}]${form}` : `[${text}](${writeTarget(href, title)})`
  }

  /** Whether a link or an image of a text can be written with the label of a definition, as it was. */
  #isReference(text: string, form: string | null, href: string): boolean {
    const { hasReferences, page } = this.#options
    if (!hasReferences || form === null || !/^(?:$|\[)/.test(form)) return false
    return page.defines(form.slice(1, -1) || text, href)
  }

  #writeLeaf(node: Node, before: string): string {
    const { attrs } = node
    switch (node.type.name) {
      case 'text':
        return this.#writeText(node)
      case 'soft_break':
        return this.#isOneLine ? ' ' : '\n'
      case 'hard_break':
        return this.#writeBreak(attrs.markup ?? this.#options.page.style.hardBreak, before)
      case 'image':
        return this.#writeImage(node)
      case 'formula':
        return writeFormula(attrs.text, this.#options.emphasis === 'own' ? attrs.markup : '$`')
      case 'footnote_reference':
        return `[^${attrs.label}]`
      default:
        return attrs.text
    }
  }

  #writeText({ text = '', marks }: Node): string {
    const code = marks.find(({ type }) => type.name === 'code')
    if (code) return writeCode(text, code.attrs.markup)
    return escapeText(text, this.#options.escaping, this.#isInLink)
  }

  #writeBreak(markup: string, before: string): string {
    if (this.#isOneLine) return '<br>'
    if (markup.startsWith('<')) return markup
    return /(?:^|\n)$/.test(before) ? '\\\n' : `${markup}\n`
  }

  #writeImage({ attrs }: Node): string {
    const { src, alt, title, width, markup } = attrs
    if (width !== null) return writeImageTag(attrs)
    const text = escapeText(alt, this.#options.escaping, true)
    return this.#isReference(text, markup, src) ? `![${text}]${markup}` : `![${text}](${writeTarget(src, title)})`
  }
}

function writeFormula(text: string, markup: string | null): string {
  if (markup === '$`' || (markup !== '$$' && /^\s|\s$|\$/.test(text))) return `$\`${text}\`$`
  return markup === '$$' ? `$$${text}$$` : `$${text}$`
}

/** The mark at a piece that reaches furthest, and the end of its run. */
function findOutermost(
  pieces: readonly Piece[],
  from: number,
): { readonly mark: Mark | undefined; readonly end: number } {
  let outermost: { readonly mark: Mark | undefined; readonly end: number } = { mark: undefined, end: from + 1 }
  for (const mark of pieces[from]?.marks ?? []) {
    let end = from + 1
    while (pieces[end]?.marks.some((other) => isSameMark(mark, other))) end++
    if (!outermost.mark || end > outermost.end) outermost = { mark, end }
  }
  return outermost
}

function withoutMark(marks: readonly Mark[], mark: Mark | undefined): readonly Mark[] {
  return mark ? marks.filter((other) => !isSameMark(mark, other)) : marks
}

/** Whether two marks mean the same, however they are written. */
function isSameMark(mark: Mark, other: Mark): boolean {
  if (mark.type !== other.type) return false
  return (
    mark.attrs.href === other.attrs.href && mark.attrs.title === other.attrs.title && mark.attrs.tag === other.attrs.tag
  )
}
