import { decodeHTML, decodeHTMLAttribute } from 'entities'
import { ALLOWED_TAGS } from './sanitise.ts'

/** One piece of HTML that stands in a body; `offset` counts within the scanned text. */
export type RawPiece =
  | { readonly kind: 'text'; readonly source: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Attributes; readonly offset: number }
  | { readonly kind: 'close'; readonly name: string }

type Attributes = ReadonlyMap<string, string>

/** The elements that one stretch of raw HTML leaves open to the next. */
export type OpenElements = string[]

/** Elements whose content browsers do not parse. They are shown as text, as GFM's tag filter does. */
const SHOWN_AS_TEXT = new Set('iframe noembed noframes plaintext script style textarea title xmp'.split(' '))
const VOID = new Set(['br', 'hr', 'img', 'input', 'wbr'])
/** Which open elements an element closes by itself, when one of them is the innermost. */
const CLOSES: Readonly<Record<string, readonly string[]>> = {
  p: ['p'],
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tr: ['td', 'th', 'tr'],
}
/** Deeper tags are dropped: parsers of HTML take time in proportion to the depth, browsers stop at 512. */
const MAX_OPEN = 400
const NAME_END = /[\t\n\f\r />]/g

/**
 * Cuts raw HTML into text and tags the way browsers do, without comments and tags that are never shown, in
 * linear time. A comment that does not end here ends with the stretch: in Markdown, nothing behind it could
 * end it, and the rest of the page would be gone.
 */
export function scanRawHtml(source: string, open: OpenElements): readonly RawPiece[] {
  const pieces: RawPiece[] = []
  const unclosed = new Set<string>()
  let from = 0
  const text = (end: number) => {
    if (end > from) pieces.push({ kind: 'text', source: source.slice(from, end) })
  }
  let at = source.indexOf('<', from)
  while (at !== -1) {
    const next = source[at + 1] ?? ''
    if (source.startsWith('<!--', at)) {
      text(at)
      const end = commentEnd(source, at)
      if (end === -1) return pieces
      from = end
    } else if (next === '!' || next === '?') {
      const end = declarationEnd(source, at)
      if (end === -1) break
      text(at)
      from = end
    } else if (/[a-z]/i.test(next) || (next === '/' && /[a-z]/i.test(source[at + 2] ?? ''))) {
      const tag = scanTag(source, at)
      // The tag never ends: whatever follows it would be swallowed, so it is shown as text.
      if (!tag) break
      if (SHOWN_AS_TEXT.has(tag.name)) {
        const end = tag.close ? tag.end : endOfText(source, tag, unclosed)
        at = source.indexOf('<', end)
        continue
      }
      text(at)
      from = tag.end
      keep(tag, at, open, pieces)
    } else {
      at = source.indexOf('<', at + 1)
      continue
    }
    at = source.indexOf('<', from)
  }
  text(source.length)
  return pieces
}

/** The pieces as HTML again. `mark` gives an attribute to the opening tag of a link. */
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

/** The characters that a piece of text stands for. */
export function rawText(source: string): string {
  return source.includes('&') ? decodeHTML(source) : source
}

function commentEnd(source: string, at: number): number {
  if (source.startsWith('>', at + 4)) return at + 5
  if (source.startsWith('->', at + 4)) return at + 6
  const end = source.indexOf('-->', at + 4)
  return end === -1 ? -1 : end + 3
}

function declarationEnd(source: string, at: number): number {
  const terminator = source.startsWith('<![CDATA[', at) ? ']]>' : '>'
  const end = source.indexOf(terminator, at)
  return end === -1 ? -1 : end + terminator.length
}

interface Tag {
  readonly name: string
  readonly close: boolean
  readonly attributes: Attributes
  readonly end: number
}

/** HTML's own rules for a tag (13.2.5.6 and on): undefined when it does not end. */
function scanTag(source: string, at: number): Tag | undefined {
  const close = source[at + 1] === '/'
  const nameStart = at + (close ? 2 : 1)
  NAME_END.lastIndex = nameStart
  const nameEnd = NAME_END.exec(source)?.index
  if (nameEnd === undefined) return undefined
  const attributes = new Map<string, string>()
  let pos = nameEnd
  while (pos < source.length) {
    pos = skip(source, pos, /[\t\n\f\r /]*/y)
    if (source[pos] === '>') {
      return { name: source.slice(nameStart, nameEnd).toLowerCase(), close, attributes, end: pos + 1 }
    }
    const keyEnd = skip(source, pos, /=?[^\t\n\f\r />=]*/y)
    const key = source.slice(pos, keyEnd).toLowerCase()
    const equals = skip(source, keyEnd, /[\t\n\f\r ]*/y)
    let value = ''
    pos = keyEnd
    if (source[equals] === '=') {
      const valueStart = skip(source, equals + 1, /[\t\n\f\r ]*/y)
      const quote = source[valueStart]
      if (quote === '"' || quote === "'") {
        const valueEnd = source.indexOf(quote, valueStart + 1)
        if (valueEnd === -1) return undefined
        value = source.slice(valueStart + 1, valueEnd)
        pos = valueEnd + 1
      } else {
        pos = skip(source, valueStart, /[^\t\n\f\r >]*/y)
        value = source.slice(valueStart, pos)
      }
    }
    if (/^[a-z][a-z0-9-]*$/.test(key) && !attributes.has(key)) attributes.set(key, decodeHTMLAttribute(value))
  }
  return undefined
}

function skip(source: string, pos: number, sticky: RegExp): number {
  sticky.lastIndex = pos
  sticky.test(source)
  return Math.max(pos, sticky.lastIndex)
}

function keep(tag: Tag, offset: number, open: OpenElements, pieces: RawPiece[]): void {
  const { name, attributes } = tag
  if (!ALLOWED_TAGS.has(name)) return
  // Of all inputs only boxes are shown.
  if (name === 'input' && attributes.get('type')?.toLowerCase() !== 'checkbox') return
  if (tag.close) {
    const opened = open.lastIndexOf(name)
    if (opened !== -1) open.length = opened
    pieces.push({ kind: 'close', name })
    return
  }
  if (!VOID.has(name)) {
    while (CLOSES[name]?.includes(open.at(-1) ?? '')) open.pop()
    if (open.length >= MAX_OPEN) return
    open.push(name)
  }
  pieces.push({ kind: 'open', name, attributes, offset })
}

/** Where an element that is shown as text ends: behind its closing tag, or behind its opening tag without one. */
function endOfText(source: string, tag: Tag, unclosed: Set<string>): number {
  if (unclosed.has(tag.name)) return tag.end
  const closing = new RegExp(`</${tag.name}[\\t\\n\\f\\r />][^>]*>?|</${tag.name}>`, 'gi')
  closing.lastIndex = tag.end
  const found = closing.exec(source)
  // Remembered, so that many opening tags without an end do not each search to the end.
  if (!found) unclosed.add(tag.name)
  return found ? found.index + found[0].length : tag.end
}
