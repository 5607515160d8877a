import { ID_PREFIX } from '@recto/lib/text/fragment.ts'
import type { Token } from 'markdown-it'
import { type OpenElements, type RawPiece, rawText, scanRawHtml } from './raw-html.ts'
import { isAllowedLink } from './urls.ts'

export interface Heading {
  readonly level: number
  readonly text: string
  /** With the prefix of all ids that come from bodies. */
  readonly id: string
  /** Counted from 1, front matter included. */
  readonly line: number
  /** Its number of lines: one, or those of its text and its underline. */
  readonly lines: number
  /** Whether it is in a list, a quotation or the like, and so starts no section of the page. */
  readonly nested: boolean
}

export interface BodyLink {
  /** As it was written, with escapes and entities decoded. */
  readonly href: string
  readonly text: string
  /** Counted from 1, front matter included. */
  readonly line: number
}

/** An image, with its source as `href` and the alternative text as `text`. */
export interface BodyImage extends BodyLink {
  /** The number of links of the page that begin before it. */
  readonly linksBefore: number
}

/** The facts of the token stream, with the token or raw HTML of each, for the renderer. */
export interface TokenFacts {
  readonly headings: readonly Heading[]
  readonly links: readonly BodyLink[]
  readonly images: readonly BodyImage[]
  readonly toHeading: ReadonlyMap<Token, Heading>
  readonly toLink: ReadonlyMap<Token | RawPiece, number>
  readonly splitPieces: ReadonlyMap<Token, readonly RawPiece[]>
}

const MAX_TEXT = 500

/** The facts collected so far, and the open heading and link. */
interface Reading {
  readonly linesBefore: number
  readonly headings: Heading[]
  readonly links: { readonly href: string; text: string; readonly line: number }[]
  readonly images: BodyImage[]
  readonly toHeading: Map<Token, Heading>
  readonly toLink: Map<Token | RawPiece, number>
  readonly splitPieces: Map<Token, readonly RawPiece[]>
  readonly slug: Slugger
  readonly open: OpenElements
  /** `idText` is its text as its id is made of it: without images, and with the white space that is written. */
  heading: { readonly open: Token; text: string; idText: string } | undefined
  link: { text: string } | undefined
}

/** Collects headings, links and images from the stream. */
export function collectFacts(tokens: readonly Token[], linesBefore: number): TokenFacts {
  const reading: Reading = {
    linesBefore,
    headings: [],
    links: [],
    images: [],
    toHeading: new Map(),
    toLink: new Map(),
    splitPieces: new Map(),
    slug: startSlugger(),
    open: [],
    heading: undefined,
    link: undefined,
  }
  let line = 0
  for (const token of tokens) {
    // Only rows of tables have line numbers, not their cells.
    line = token.map?.[0] ?? line
    readBlockToken(reading, token, line)
  }
  for (const link of reading.links) link.text = tidy(link.text)
  return reading
}

function readBlockToken(reading: Reading, token: Token, line: number): void {
  if (token.type === 'html_block') readHtml(reading, token, line)
  else if (token.type === 'inline') readInline(reading, token, line)
  else if (token.type === 'heading_open') reading.heading = { open: token, text: '', idText: '' }
  else if (token.type === 'heading_close') endHeading(reading, token)
  else if (token.type === 'fence' || token.type === 'code_block') say(reading, token.content)
  else if (token.block && token.nesting !== 0) say(reading, ' ')
}

function readInline(reading: Reading, inline: Token, firstLine: number): void {
  const { open, link: outer } = reading
  const depth = open.length
  const lines = new LineCounter(inline.content, firstLine)
  for (const token of inline.children ?? []) readInlineToken(reading, token, lines.at(token.map?.[0] ?? 0))
  // Raw HTML that a paragraph leaves open ends with the paragraph.
  if (open.length > depth) open.length = depth
  if (!outer) reading.link = undefined
}

function readInlineToken(reading: Reading, token: Token, line: number): void {
  if (token.type === 'html_inline') readHtml(reading, token, line)
  else if (token.type === 'link_open') startLink(reading, token, String(token.attrGet('href') ?? ''), line)
  else if (token.type === 'link_close') reading.link = undefined
  else {
    const text = plainText(token)
    const isImage = token.type === 'image'
    if (isImage) addImage(reading, String(token.attrGet('src') ?? ''), text, line)
    say(reading, text, isImage ? '' : token.type === 'softbreak' ? '\n' : text)
  }
}

function readHtml(reading: Reading, token: Token, firstLine: number): void {
  const pieces = scanRawHtml(token.content, reading.open)
  reading.splitPieces.set(token, pieces)
  const lines = new LineCounter(token.content, firstLine)
  for (const piece of pieces) {
    if (piece.kind === 'text') say(reading, rawText(piece.source))
    else if (piece.kind === 'close' && piece.name === 'a') reading.link = undefined
    else if (piece.kind === 'open') readElement(reading, piece, lines.at(piece.offset))
  }
}

function readElement(reading: Reading, piece: Extract<RawPiece, { kind: 'open' }>, line: number): void {
  const href = piece.name === 'a' ? piece.attributes.get('href') : undefined
  if (href !== undefined && isAllowedLink(href)) startLink(reading, piece, href, line)
  else if (piece.name === 'img') {
    const alt = piece.attributes.get('alt') ?? ''
    addImage(reading, piece.attributes.get('src') ?? '', alt, line)
    say(reading, alt, '')
  }
}

function addImage({ images, links, linesBefore }: Reading, href: string, alt: string, line: number): void {
  if (href === '') return
  images.push({ href, text: tidy(alt), line: linesBefore + line + 1, linksBefore: links.length })
}

function startLink(reading: Reading, of: Token | RawPiece, href: string, line: number): void {
  const link = { href, text: '', line: reading.linesBefore + line + 1 }
  reading.toLink.set(of, reading.links.length)
  reading.links.push(link)
  reading.link = link
}

function endHeading(reading: Reading, close: Token): void {
  const { heading, linesBefore } = reading
  if (!heading) return
  const text = tidy(heading.text)
  const [first, end] = heading.open.map ?? [0, 1]
  const newHeading = {
    level: Number(close.tag.slice(1)),
    text,
    id: reading.slug(heading.idText),
    line: linesBefore + first + 1,
    lines: end - first,
    nested: heading.open.level > 0,
  }
  reading.headings.push(newHeading)
  reading.toHeading.set(heading.open, newHeading).set(close, newHeading)
  reading.heading = undefined
}

/** Appends to the text of the open heading and link. */
function say({ heading, link }: Reading, text: string, idText = text): void {
  if (heading && heading.text.length < MAX_TEXT) {
    heading.text += text
    heading.idText += idText
  }
  if (link && link.text.length < MAX_TEXT) link.text += text
}

/** The lines of growing offsets in a text, in linear time: the next line break is looked for once. */
class LineCounter {
  readonly #text: string
  #line: number
  #next: number

  constructor(text: string, firstLine: number) {
    this.#text = text
    this.#line = firstLine
    this.#next = text.indexOf('\n')
  }

  /** The line of an offset, or of a greater one before. */
  at(offset: number): number {
    while (this.#next !== -1 && this.#next < offset) {
      this.#line++
      this.#next = this.#text.indexOf('\n', this.#next + 1)
    }
    return this.#line
  }
}

/** The visible text of an inline token: of an image its alternative text, of a line break a space. */
function plainText(token: Token): string {
  if (token.type === 'image') return (token.children ?? []).map(plainText).join('')
  if (token.type === 'softbreak' || token.type === 'hardbreak') return ' '
  return token.type === 'text' ||
    token.type === 'text_special' ||
    token.type === 'code_inline' ||
    token.type === 'math_inline'
    ? token.content
    : ''
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT).toWellFormed()
}

/** Makes the ids of the headings of a page, in page order. */
type Slugger = (text: string) => string

const MAX_LENGTH = 500

/** As github-slugger: lower case, letters, decimal digits, `-` and `_`; a number is appended to duplicates. */
export function startSlugger(): Slugger {
  const usedSlugs = new Map<string, number>()
  return (text) => {
    const slug = slugify(text)
    let id = slug
    // The counter of a text continues where its last heading left it, so that many duplicates take linear time.
    let count = usedSlugs.get(slug) ?? 0
    while (usedSlugs.has(id)) {
      count++
      id = `${slug}-${count}`
    }
    usedSlugs.set(slug, count)
    if (id !== slug) usedSlugs.set(id, 0)
    return ID_PREFIX + id
  }
}

function slugify(text: string): string {
  const slug = text
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .toLowerCase()
    .replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
  return slug === '' ? 'section' : slug
}
