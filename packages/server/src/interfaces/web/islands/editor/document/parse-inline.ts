import type { Token } from 'markdown-it'
import type { Mark, Node } from 'prosemirror-model'
import { readBreak } from './page.ts'
import { MARK_TAGS, schema } from './schema.ts'

const MARKS: Readonly<Record<string, 'em' | 'strong' | 'strike'>> = { em: 'em', strong: 'strong', del: 'strike' }

/** The content of a paragraph, a heading or a cell. */
export function readInline({ content, children }: Token): Node[] {
  const tokens = children ?? []
  const pairs = pairTags(tokens)
  const nodes: Node[] = []
  const open: Mark[] = []
  tokens.forEach((token, index) => {
    const tag = pairs.get(index)
    if (tag) {
      if (tag.isOpening) open.push(tag.mark)
      else open.pop()
    } else if (token.nesting === 1) open.push(readMark(token, { content, close: findClose(tokens, index) }))
    else if (token.nesting === -1) open.pop()
    else {
      const node = readLeaf(token, content)
      if (node) nodes.push(node.mark(open.reduce<readonly Mark[]>((marks, mark) => mark.addToSet(marks), node.marks)))
    }
  })
  return nodes
}

function readLeaf(token: Token, content: string): Node | undefined {
  const text = token.content
  const start = token.map?.[0] ?? 0
  switch (token.type) {
    case 'text':
      return text === '' ? undefined : schema.text(text)
    case 'softbreak':
      return schema.node('soft_break')
    case 'hardbreak':
      return schema.node('hard_break', { markup: readBreak(token, content) })
    case 'code_inline':
      return schema.text(text, [schema.mark('code', { markup: token.markup })])
    case 'math_inline':
      return schema.node('formula', { text, markup: token.markup })
    case 'footnote_reference':
      return schema.node('footnote_reference', { label: /^\[\^([^\]]*)/.exec(content.slice(start))?.[1] ?? '' })
    case 'image':
      return schema.node('image', {
        src: token.attrGet('src') ?? '',
        title: token.attrGet('title') ?? '',
        alt: readAlt(token.children ?? []),
        markup: readForm(content, start + '!['.length + text.length),
      })
    case 'task_box':
      return undefined
    case 'html_inline':
      return readHtml(text)
    default:
      return schema.node('source_inline', { text })
  }
}

function readAlt(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === 'softbreak' || type === 'hardbreak') return ' '
      if (type === 'image') return readAlt(children ?? [])
      return type === 'html_inline' ? '' : content
    })
    .join('')
}

const IMAGE = /^<img src="([^"]*)" alt="([^"]*)"(?: title="([^"]*)")? width="(\d+)"(?: height="(\d+)")?>$/

/** A line break, an image with its size as Recto writes it, or the tag itself. */
export function readHtml(text: string): Node {
  if (/^<br ?\/?>$/i.test(text)) return schema.node('hard_break', { markup: text })
  const [, src, alt = '', title = '', width, height = null] = IMAGE.exec(text) ?? []
  if (src === undefined) return schema.node('source_inline', { text })
  const [plainSrc, plainAlt, plainTitle] = [src, alt, title].map(unescapeHtml)
  return schema.node('image', { src: plainSrc, alt: plainAlt, title: plainTitle, width, height, markup: 'html' })
}

/** The text of the three references that are written in HTML. */
export function unescapeHtml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}

function readMark(
  token: Token,
  { content, close }: { readonly content: string; readonly close: Token | undefined },
): Mark {
  const name = MARKS[token.tag]
  if (name) return schema.mark(name, { markup: token.markup })
  const [href, title] = [token.attrGet('href') ?? '', token.attrGet('title') ?? '']
  if (token.markup === 'autolink') return schema.mark('link', { href, form: '<>' })
  if (token.markup === 'linkify') return schema.mark('link', { href, form: 'bare' })
  return schema.mark('link', { href, title, form: readForm(content, close?.map?.[0] ?? 0) })
}

/** How the link is written whose text ends at the bracket: with its target, or the label of a definition. */
function readForm(content: string, bracket: number): string {
  if (content[bracket + 1] === '(') return 'inline'
  return /^\[(?:[^[\]\\]|\\.)*\]/s.exec(content.slice(bracket + 1, bracket + 1002))?.[0] ?? ''
}

function findClose(tokens: readonly Token[], opening: number): Token | undefined {
  if (tokens[opening]?.type !== 'link_open') return undefined
  let index = opening
  while (index < tokens.length && tokens[index]?.type !== 'link_close') index++
  return tokens[index]
}

interface Tag {
  readonly isOpening: boolean
  readonly mark: Mark
}

/** Tags without attributes that give a mark and are closed where they should be, by their index. */
function pairTags(tokens: readonly Token[]): ReadonlyMap<number, Tag> {
  const pairs = new Map<number, Tag>()
  /** The tags that are open in each mark of Markdown. */
  const open: { readonly name: string; readonly index: number }[][] = [[]]
  tokens.forEach(({ type, content, nesting }, index) => {
    if (nesting === 1) open.push([])
    else if (nesting === -1) open.pop()
    const [, slash, name = ''] = (type === 'html_inline' && /^<(\/?)([a-z]+)>$/.exec(content)) || []
    const mark = MARK_TAGS.get(name)
    const tags = open.at(-1)
    if (!mark || !tags) return
    if (slash === '') tags.push({ name, index })
    else if (tags.at(-1)?.name === name)
      pairs.set(tags.pop()?.index ?? 0, { isOpening: true, mark }).set(index, { isOpening: false, mark })
  })
  return pairs
}
