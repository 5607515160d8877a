/**
 * Where a body has links, images and `[[wikilinks]]`, as the parser sees them: nothing in code, HTML, formulas,
 * comments or front matter counts. The parser knows lines, and offsets within the content of a block; brackets have the
 * same order there as in the source, so that counting them finds the place.
 */
import type { StateInline, Token } from 'markdown-it'
import { createParser, parseBody } from './parser.ts'
import { type OpenElements, scanRawHtml } from './raw-html.ts'

export interface LinkPlace {
  readonly kind: 'wikilink' | 'image' | 'target'
  /** The offset of `[[` or `![[`, of `![`, or of the `]` before the target of a link or an image. */
  readonly offset: number
}

/** The embedding mark, name, heading and alias. In a table the `|` before the alias is escaped as `\|`. */
export const WIKILINK = /(!?)\[\[(?!\^)([^[\]|#\n]*?)(?:#([^[\]|\n]*?))?(?:\\?\|([^[\]\n]*))?\]\]/y

const CODE_ELEMENTS = new Set(['code', 'kbd', 'pre', 'samp', 'var'])
const BRACKETS = /[[\]]/g

const md = createParser()
// Footnotes stay where they are written, also those that no text refers to.
md.core.ruler.disable('footnotes')
md.inline.ruler.after('image', 'wikilink', wikilink)

/** After the rules for links and images, so that `[[a]](b)` is a link. */
function wikilink(state: StateInline, silent: boolean): boolean {
  // Silent: the end of a label is looked for, in which brackets only have to match.
  if (silent || state.linkLevel > 0) return false
  WIKILINK.lastIndex = state.pos
  const match = WIKILINK.exec(state.src)
  const end = WIKILINK.lastIndex
  if (!match || end > state.posMax || state.src[end] === '(') return false
  const [whole, , name = '', heading] = match
  if (name.trim() === '' && heading === undefined) return false
  const from = state.pos + whole.indexOf('[[') + 2
  if (!isText(state, from, { nameEnd: from + name.length + (heading?.length ?? 0), to: end - 2 })) return false
  state.push('wikilink', '', 0)
  state.pos = end
  return true
}

/** Whether nothing that begins in the range ends after it, and the name has no code, HTML or formula. */
function isText(
  state: StateInline,
  from: number,
  { nameEnd, to }: { readonly nameEnd: number; readonly to: number },
): boolean {
  const { pos: start, src } = state
  let isName = true
  for (state.pos = from; state.pos < to; ) {
    const before = state.pos
    state.md.inline.skipToken(state)
    const isOpaque = state.pos > before + 1 && '`<$'.includes(src[before] ?? '')
    isName &&= !(isOpaque && before <= nameEnd)
  }
  const isWhole = state.pos === to
  state.pos = start
  return isWhole && isName
}

/** In the order of the body. */
export function findLinkPlaces(body: string): LinkPlace[] {
  const { frontMatter, tokens } = parseBody(md, body)
  const { content } = frontMatter
  const base = body.length - content.length
  const source = new BracketReader(content)
  const open: OpenElements = []
  const places: LinkPlace[] = []
  let line = 0
  for (const token of tokens) {
    line = token.map?.[0] ?? line
    if (token.type === 'html_block') scanRawHtml(token.content, open)
    else if (token.type === 'tr_open') source.startRow()
    else if (token.type === 'inline') {
      const offsetsByLine = source.locate(token, line)
      for (const { kind, offset, bracket } of inlinePlaces(token, open)) {
        const at = offsetsByLine.get(bracket)
        if (at !== undefined) places.push({ kind, offset: base + at - (bracket - offset) })
      }
    }
  }
  return places
}

/** A place in the content of an inline token; `bracket` is the offset of its first bracket. */
interface InlinePlace extends LinkPlace {
  readonly bracket: number
}

function* inlinePlaces({ content, children }: Token, open: OpenElements): Generator<InlinePlace> {
  const depth = open.length
  for (const token of children ?? []) {
    const { type, map } = token
    const offset = map?.[0] ?? 0
    if (type === 'html_inline') scanRawHtml(token.content, open)
    else if (open.some((name) => CODE_ELEMENTS.has(name))) continue
    else if (type === 'wikilink') yield placeAt('wikilink', offset, content)
    else if (type === 'link_close' && token.markup === '') yield placeAt('target', offset, content)
    else if (type === 'image') {
      yield placeAt('image', offset, content)
      yield placeAt('target', offset + '!['.length + token.content.length, content)
    }
  }
  // Raw HTML that a paragraph leaves open ends with it.
  if (open.length > depth) open.length = depth
}

function placeAt(kind: LinkPlace['kind'], offset: number, content: string): InlinePlace {
  return { kind, offset, bracket: content[offset] === '!' ? offset + 1 : offset }
}

/** Finds the brackets of inline tokens in the source. */
class BracketReader {
  readonly #source: string
  readonly #lineStarts: readonly number[]
  /** The line whose brackets were read last. */
  #line = -1
  #brackets: readonly number[] = []
  /** The number of brackets in the row before the present cell. */
  #before = 0

  constructor(source: string) {
    this.#source = source
    const ends = [...source.matchAll(/\r\n?|\n/g)]
    this.#lineStarts = [0, ...ends.map(({ 0: end, index }) => index + end.length)]
  }

  startRow(): void {
    this.#before = 0
  }

  /** The offset in the source of each bracket of an inline token. */
  locate({ content, map }: Token, firstLine: number): ReadonlyMap<number, number> {
    const offsetsByLine = new Map<number, number>()
    if (!content.includes('[')) return offsetsByLine
    let start = 0
    for (const [index, text] of content.split('\n').entries()) {
      const own = findBrackets(text)
      const all = own.length === 0 ? [] : this.#bracketsOfLine(firstLine + index)
      // What is before the content of a block, such as the label of a footnote. A row may have more cells than its
      // table.
      const skippedLines = map ? all.length - own.length : this.#before
      for (const [number, at] of own.entries()) {
        const place = all[skippedLines + number]
        if (place !== undefined && this.#source[place] === text[at]) offsetsByLine.set(start + at, place)
      }
      if (!map) this.#before += own.length
      start += text.length + 1
    }
    return offsetsByLine
  }

  #bracketsOfLine(line: number): readonly number[] {
    if (this.#line !== line) {
      const start = this.#lineStarts[line] ?? 0
      const text = this.#source.slice(start, this.#lineStarts[line + 1])
      this.#line = line
      this.#brackets = findBrackets(text).map((at) => start + at)
    }
    return this.#brackets
  }
}

function findBrackets(text: string): number[] {
  return [...text.matchAll(BRACKETS)].map(({ index }) => index)
}

/** How to replace what is at places of one kind: the pattern matches from the offset on; undefined leaves it. */
interface Replacement {
  readonly pattern: RegExp
  readonly text: (match: RegExpExecArray) => string | undefined
}

export type Replacements = Partial<Readonly<Record<LinkPlace['kind'], Replacement>>>

/** Replaces what is at the places, and leaves all other bytes. */
export function replaceAt(body: string, places: readonly LinkPlace[], by: Replacements): string {
  const pieces: string[] = []
  let end = 0
  for (const { kind, offset } of places) {
    const pattern = by[kind]?.pattern
    if (!pattern || offset < end) continue
    pattern.lastIndex = offset
    const match = pattern.exec(body)
    const text = match ? by[kind]?.text(match) : undefined
    if (!match || text === undefined) continue
    pieces.push(body.slice(end, offset), text)
    end = offset + match[0].length
  }
  return pieces.join('') + body.slice(end)
}
