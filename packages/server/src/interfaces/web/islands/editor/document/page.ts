import { frontMatterEnd } from '@recto/markdown/front-matter-block.ts'
import { createParser } from '@recto/markdown/parser.ts'
import type { Env, Token } from 'markdown-it'

/** The parser of the service, but all that is written stays where it is: footnotes, and links that are not allowed. */
const parser = createParser()
parser.core.ruler.disable(['footnotes', 'blocked_links', 'bounded_references'])

/** How the page writes what can be written in several ways. */
export interface Style {
  lineEnd: string
  bullet: string
  delimiter: string
  em: string
  strong: string
  strike: string
  fence: string
  rule: string
  hardBreak: string
}

const MARKUP_STYLES: Readonly<Record<string, keyof Style>> = {
  em_open: 'em',
  strong_open: 'strong',
  del_open: 'strike',
  bullet_list_open: 'bullet',
  ordered_list_open: 'delimiter',
  fence: 'fence',
  hr: 'rule',
}

/** The text of a page with its lines and tokens. */
export class Page {
  readonly text: string
  /** The offsets at which its lines start, and end without the line end. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly frontMatterEnd: number
  /** The line of the first token. */
  readonly firstLine: number
  readonly tokens: readonly Token[]
  /** Reference definitions and the labels of footnotes. */
  readonly #env: Env = {}
  #style: Style | undefined

  constructor(text: string) {
    this.text = text
    const lineEnds = [...text.matchAll(/\r\n?|\n/g)]
    this.ends = [...lineEnds.map(({ index }) => index), text.length]
    this.starts = [0, ...lineEnds.map(({ 0: end, index }) => index + end.length)]
    const mark = text.startsWith('\uFEFF') ? 1 : 0
    this.frontMatterEnd = Math.max(frontMatterEnd(text), mark)
    const firstLine = this.starts.findIndex((at) => at >= this.frontMatterEnd - mark)
    this.firstLine = firstLine === -1 ? this.starts.length : firstLine
    this.tokens = parser.parse(text.slice(this.frontMatterEnd), this.#env)
  }

  /** Parses a part of the page, which may refer to what the page defines. */
  parse(text: string): readonly Token[] {
    return parser.parse(text, { ...this.#env })
  }

  /** Whether a reference means the target. */
  defines(label: string, href: string): boolean {
    return this.#env.references?.[parser.utils.normalizeReference(label)]?.href === href
  }

  get style(): Style {
    this.#style ??= readStyle(this)
    return this.#style
  }
}

/** The first of each kind decides. */
function readStyle({ text, tokens }: Page): Style {
  const style: Partial<Style> = {}
  const lineEnd = /\r\n?|\n/.exec(text)?.[0] ?? '\n'
  for (const token of tokens) {
    readMarkup(token, style)
    for (const child of token.children ?? []) {
      readMarkup(child, style)
      if (child.type === 'hardbreak') style.hardBreak ??= readBreak(child, token.content)
    }
  }
  const defaults = { bullet: '-', delimiter: '.', em: '*', strong: '**', strike: '~~', fence: '```', rule: '---' }
  return { ...defaults, hardBreak: '\\', ...style, lineEnd }
}

function readMarkup({ type, markup }: Token, style: Partial<Style>): void {
  const name = MARKUP_STYLES[type]
  if (name) style[name] ??= markup
}

/** How a hard break is written in the content of its block. */
export function readBreak({ map }: Token, content: string): string {
  return content[map?.[0] ?? 0] === '\\' ? '\\' : '  '
}
