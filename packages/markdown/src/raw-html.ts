/** Tokenises raw HTML in Markdown by the rules of HTML's tokenizer (HTML standard, 13.2.5), without building a tree. */
import { decodeHTML, decodeHTMLAttribute } from 'entities'
import { ALLOWED_TAGS } from './sanitise.ts'

/** A token of raw HTML. `offset` is the position in the scanned text. */
export type RawPiece =
  | { readonly kind: 'text'; readonly source: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Attributes; readonly offset: number }
  | { readonly kind: 'close'; readonly name: string }

type Attributes = ReadonlyMap<string, string>

/** Names of the elements that one range of raw HTML leaves open for the next, innermost last. */
export type OpenElements = string[]

/** Elements whose content browsers do not parse. They are shown as text, like GFM's tagfilter extension. */
const SHOWN_AS_TEXT = new Set('iframe noembed noframes plaintext script style textarea title xmp'.split(' '))
const VOID = new Set(['br', 'hr', 'img', 'input', 'wbr'])
/** Optional end tags: the innermost elements that a start tag closes. */
const CLOSES: Readonly<Record<string, readonly string[]>> = {
  p: ['p'],
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tr: ['td', 'th', 'tr'],
}
/** Deeper tags are dropped: HTML parsers take time proportional to the depth, and browsers stop at 512. */
const MAX_OPEN = 400
const TAG_START = /<\/?[a-z]/iy

/**
 * Tokenises raw HTML like browsers, without comments and tags that are never shown, in linear time. A comment that does
 * not end here ends with this range, since nothing in Markdown could end it.
 */
export function scanRawHtml(source: string, open: OpenElements): readonly RawPiece[] {
  const pieces: RawPiece[] = []
  const unclosedTags = new Set<string>()
  let textStart = 0
  const pushText = (end: number) => {
    if (end > textStart) pieces.push({ kind: 'text', source: source.slice(textStart, end) })
  }
  let at = source.indexOf('<')
  while (at !== -1) {
    const markup = markupAt(source, at, unclosedTags)
    // Markup that never ends would hide all that follows: it is shown as text.
    if (!markup) break
    if (!markup.literal) {
      pushText(at)
      textStart = markup.end
      if (markup.tag) keepTag(markup.tag, at, open, pieces)
    }
    at = source.indexOf('<', markup.end)
  }
  pushText(source.length)
  return pieces
}

/** Serialises the tokens. `mark` returns an attribute for a start tag. */
export function writeRawHtml(pieces: readonly RawPiece[], mark: (piece: RawPiece) => string): string {
  let html = ''
  for (const piece of pieces) {
    if (piece.kind === 'text') html += piece.source.replaceAll('<', '&lt;')
    else if (piece.kind === 'close') html += `</${piece.name}>`
    else {
      html += `<${piece.name}${mark(piece)}`
      for (const [name, value] of piece.attributes) {
        html += ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`
      }
      html += '>'
    }
  }
  return html
}

/** Decodes the character references of a text token. */
export function rawText(source: string): string {
  return source.includes('&') ? decodeHTML(source) : source
}

interface Markup {
  readonly end: number
  /** Shown as text. */
  readonly literal?: boolean
  /** Absent for comments and declarations. */
  readonly tag?: Tag
}

/** What the `<` at an offset begins; undefined if it does not end. */
function markupAt(source: string, at: number, unclosedTags: Set<string>): Markup | undefined {
  if (source.startsWith('<!--', at)) return { end: commentEnd(source, at) }
  if (source[at + 1] === '!' || source[at + 1] === '?') return declarationAt(source, at)
  TAG_START.lastIndex = at
  if (!TAG_START.test(source)) return { end: at + 1, literal: true }
  const tag = scanTag(source, at)
  if (!tag || !SHOWN_AS_TEXT.has(tag.name)) return tag && { end: tag.end, tag }
  return { end: tag.close ? tag.end : endOfRawText(source, tag, unclosedTags), literal: true }
}

function commentEnd(source: string, at: number): number {
  if (source.startsWith('>', at + 4)) return at + 5
  if (source.startsWith('->', at + 4)) return at + 6
  const end = source.indexOf('-->', at + 4)
  return end === -1 ? source.length : end + 3
}

function declarationAt(source: string, at: number): Markup | undefined {
  const terminator = source.startsWith('<![CDATA[', at) ? ']]>' : '>'
  const end = source.indexOf(terminator, at)
  return end === -1 ? undefined : { end: end + terminator.length }
}

interface Tag {
  readonly name: string
  readonly close: boolean
  readonly attributes: Attributes
  readonly end: number
}

/** Tag name state and the following (13.2.5.8, 13.2.5.32 to 13.2.5.40); undefined if the tag does not end. */
function scanTag(source: string, at: number): Tag | undefined {
  const close = source[at + 1] === '/'
  const nameStart = at + (close ? 2 : 1)
  let pos = skip(source, nameStart, /[^\t\n\f\r />]*/y)
  const name = source.slice(nameStart, pos).toLowerCase()
  const attributes = new Map<string, string>()
  while (pos < source.length) {
    pos = skip(source, pos, /[\t\n\f\r /]*/y)
    if (source[pos] === '>') return { name, close, attributes, end: pos + 1 }
    const attribute = scanAttribute(source, pos)
    if (!attribute) return undefined
    const { key, value, end } = attribute
    if (/^[a-z][a-z0-9-]*$/.test(key) && !attributes.has(key)) attributes.set(key, decodeHTMLAttribute(value))
    pos = end
  }
  return undefined
}

interface Attribute {
  readonly key: string
  readonly value: string
  readonly end: number
}

/** Undefined if a quoted value does not end. */
function scanAttribute(source: string, at: number): Attribute | undefined {
  const keyEnd = skip(source, at, /=?[^\t\n\f\r />=]*/y)
  const key = source.slice(at, keyEnd).toLowerCase()
  const equals = skip(source, keyEnd, /[\t\n\f\r ]*/y)
  if (source[equals] !== '=') return { key, value: '', end: keyEnd }
  const start = skip(source, equals + 1, /[\t\n\f\r ]*/y)
  const quote = source[start]
  if (quote !== '"' && quote !== "'") {
    const end = skip(source, start, /[^\t\n\f\r >]*/y)
    return { key, value: source.slice(start, end), end }
  }
  const end = source.indexOf(quote, start + 1)
  return end === -1 ? undefined : { key, value: source.slice(start + 1, end), end: end + 1 }
}

function skip(source: string, pos: number, sticky: RegExp): number {
  sticky.lastIndex = pos
  sticky.test(source)
  return Math.max(pos, sticky.lastIndex)
}

function keepTag({ name, close, attributes }: Tag, offset: number, open: OpenElements, pieces: RawPiece[]) {
  if (!ALLOWED_TAGS.has(name)) return
  // Checkboxes are the only inputs that are shown.
  if (name === 'input' && attributes.get('type')?.toLowerCase() !== 'checkbox') return
  if (close) {
    const openIndex = open.lastIndexOf(name)
    if (openIndex !== -1) open.length = openIndex
    pieces.push({ kind: 'close', name })
  } else if (VOID.has(name) || pushOpen(name, open)) pieces.push({ kind: 'open', name, attributes, offset })
}

/** Returns false if the element would be too deep. */
function pushOpen(name: string, open: OpenElements): boolean {
  while (CLOSES[name]?.includes(open.at(-1) ?? '')) open.pop()
  if (open.length >= MAX_OPEN) return false
  open.push(name)
  return true
}

/** The end of an element that is shown as text: after its end tag, or without one after its start tag. */
function endOfRawText(source: string, tag: Tag, unclosedTags: Set<string>): number {
  if (unclosedTags.has(tag.name)) return tag.end
  const endTag = new RegExp(`</${tag.name}[\\t\\n\\f\\r />][^>]*>?|</${tag.name}>`, 'gi')
  endTag.lastIndex = tag.end
  const endMatch = endTag.exec(source)
  // Linear time: many start tags without an end tag do not each search to the end.
  if (!endMatch) unclosedTags.add(tag.name)
  return endMatch ? endMatch.index + endMatch[0].length : tag.end
}
