import type { Token } from 'markdown-it'
import { type RawPiece, rawText, scanRawHtml } from './raw-html.ts'
import { startSlugger } from './slugs.ts'
import { isAllowedLink } from './urls.ts'

export interface Heading {
  readonly level: number
  readonly text: string
  /** With the prefix of all ids that come from bodies. */
  readonly id: string
  readonly line: number
}

export interface BodyLink {
  /** As it was written, with escapes and entities decoded. */
  readonly href: string
  readonly text: string
  /** Counted from 1, front matter included. */
  readonly line: number
}

/** What the token stream says, and which token or piece of raw HTML says it, for those who render. */
export interface TokenFacts {
  readonly headings: readonly Heading[]
  readonly links: readonly BodyLink[]
  readonly headingOf: ReadonlyMap<Token, Heading>
  readonly linkOf: ReadonlyMap<Token | RawPiece, number>
  readonly piecesOf: ReadonlyMap<Token, readonly RawPiece[]>
}

const MAX_TEXT = 500

/** Reads headings and links off the stream. */
export function collectFacts(tokens: readonly Token[], linesBefore: number): TokenFacts {
  const headings: Heading[] = []
  const links: { readonly href: string; text: string; readonly line: number }[] = []
  const headingOf = new Map<Token, Heading>()
  const linkOf = new Map<Token | RawPiece, number>()
  const piecesOf = new Map<Token, readonly RawPiece[]>()
  const slug = startSlugger()
  const open: string[] = []
  let line = 0
  let heading: { readonly open: Token; text: string } | undefined
  let link: { text: string } | undefined

  const say = (text: string) => {
    if (heading && heading.text.length < MAX_TEXT) heading.text += text
    if (link && link.text.length < MAX_TEXT) link.text += text
  }
  const openLink = (of: Token | RawPiece, href: string, at: number) => {
    linkOf.set(of, links.length)
    links.push({ href, text: '', line: linesBefore + at + 1 })
    link = links.at(-1)
  }
  const scan = (token: Token, at: number) => {
    const pieces = scanRawHtml(token.content, open)
    piecesOf.set(token, pieces)
    let counted = 0
    let pieceLine = at
    for (const piece of pieces) {
      if (piece.kind === 'text') say(rawText(piece.source))
      else if (piece.kind === 'close' && piece.name === 'a') link = undefined
      else if (piece.kind === 'open') {
        pieceLine += newlines(token.content, counted, piece.offset)
        counted = piece.offset
        const href = piece.name === 'a' ? piece.attributes.get('href') : undefined
        if (href !== undefined && isAllowedLink(href)) openLink(piece, href, pieceLine)
        else if (piece.name === 'img') say(piece.attributes.get('alt') ?? '')
      }
    }
  }
  const walkInline = (inline: Token) => {
    const depth = open.length
    let counted = 0
    let inlineLine = line
    for (const token of inline.children ?? []) {
      const offset = token.map?.[0] ?? counted
      if (offset > counted) {
        inlineLine += newlines(inline.content, counted, offset)
        counted = offset
      }
      if (token.type === 'html_inline') scan(token, inlineLine)
      else if (token.type === 'link_open') openLink(token, String(token.attrGet('href') ?? ''), inlineLine)
      else if (token.type === 'link_close') link = undefined
      else say(plainText(token))
    }
    // Whatever raw HTML a paragraph leaves open ends with it.
    if (open.length > depth) open.length = depth
  }

  for (const token of tokens) {
    line = token.map?.[0] ?? line
    if (token.type === 'html_block') scan(token, line)
    else if (token.type === 'inline') {
      const outer = link
      walkInline(token)
      if (!outer) link = undefined
    } else if (token.type === 'heading_open') heading = { open: token, text: '' }
    else if (token.type === 'heading_close' && heading) {
      const text = tidy(heading.text)
      const level = Number(token.tag.slice(1))
      const found = { level, text, id: slug(text), line: linesBefore + (heading.open.map?.[0] ?? 0) + 1 }
      headings.push(found)
      headingOf.set(heading.open, found).set(token, found)
      heading = undefined
    } else if (token.type === 'fence' || token.type === 'code_block') say(token.content)
    else if (token.block && token.nesting !== 0) say(' ')
  }
  for (const found of links) found.text = tidy(found.text)
  return { headings, links, headingOf, linkOf, piecesOf }
}

function newlines(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** The characters that an inline token shows: of an image its alternative text, of a line break a space. */
function plainText(token: Token): string {
  if (token.type === 'image') return (token.children ?? []).map(plainText).join('')
  if (token.type === 'softbreak' || token.type === 'hardbreak') return ' '
  return token.type === 'text' || token.type === 'text_special' || token.type === 'code_inline'
    ? token.content
    : ''
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT).toWellFormed()
}
