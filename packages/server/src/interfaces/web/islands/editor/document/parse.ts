import type { Token } from 'markdown-it'
import type { Node, NodeType } from 'prosemirror-model'
import { enterFootnote, enterItem, enterQuote, findOffset, type Level, type Lines } from './level.ts'
import { Page } from './page.ts'
import { readHtml, readInline, unescapeHtml } from './parse-inline.ts'
import { readTable } from './parse-table.ts'
import { schema } from './schema.ts'
import { type BlockSource, createBlock, linkBlocks, readSource } from './source.ts'

const { nodes } = schema

/** The document of a page, whose blocks remember their bytes. */
export function readDocument(markdown: string): Node {
  const page = new Page(markdown)
  const { text, starts, firstLine, frontMatterEnd } = page
  const offsets = starts.slice(firstLine)
  if (firstLine === 0) offsets[0] = frontMatterEnd
  const level = { firstLine, offsets, prefix: '', isWhole: true }
  const reader = new Reader(page)
  const blocks = reader.readBlocks(level, [firstLine, starts.length], [0, page.tokens.length])
  const from = text.startsWith('\uFEFF') ? 1 : 0
  if (frontMatterEnd > from) {
    const lines = text.slice(from, frontMatterEnd)
    const to = from + lines.trimEnd().length
    blocks.unshift(createBlock(nodes.front_matter, { page, from, to, prefix: '' }, { text: text.slice(from, to) }, []))
    linkBlocks(blocks)
  }
  return createBlock(nodes.doc, { page, ...findContent(blocks, 0), from: 0, to: text.length, prefix: '' }, {}, blocks)
}

function findContent(blocks: readonly Node[], empty: number) {
  const sources = blocks.flatMap((block) => readSource(block) ?? [])
  return { contentFrom: sources[0]?.from ?? empty, contentTo: sources.at(-1)?.to ?? empty }
}

/** The tokens from an index to before another. */
type Range = readonly [from: number, to: number]

const OPEN_DETAILS = /^<details( open(?:="")?)?>\s*<summary>((?:[^<&\r\n]|&(?:amp|lt|quot);)*)<\/summary>\s*$/
const CLOSE_DETAILS = /^\s*<\/details>\s*$/

class Reader {
  readonly #page: Page
  /** For each opening token its closing one, also for HTML that opens and closes details. */
  readonly #closers: ReadonlyMap<number, number>

  constructor(page: Page) {
    this.#page = page
    this.#closers = pairTokens(page.tokens)
  }

  readBlocks(level: Level, [first, last]: Lines, [from, to]: Range): Node[] {
    const blocks: Node[] = []
    let line = first
    for (let index = from; index < to; ) {
      const close = this.#closers.get(index) ?? index
      const lines = this.#findLines(level, index, close)
      this.#addDefinitions(level, [line, lines[0]], blocks)
      blocks.push(this.#readBlock(level, lines, [index, close]))
      line = lines[1]
      index = close + 1
    }
    this.#addDefinitions(level, [line, last], blocks)
    linkBlocks(blocks)
    return blocks.length === 0 ? [nodes.paragraph.create()] : blocks
  }

  #token(index: number): Token {
    const token = this.#page.tokens[index]
    if (!token) throw new RangeError('A token is missing')
    return token
  }

  /** The lines of a block, without blank ones after it. */
  #findLines(level: Level, index: number, close: number): Lines {
    const token = this.#token(index)
    // An alert's mark is taken from its first paragraph, whose lines only the content knows.
    const content = token.type === 'paragraph_open' ? this.#token(index + 1) : token
    const first = this.#page.firstLine + (content.map?.[0] ?? 0)
    const end = (token.type === 'html_block' ? this.#token(close) : token).map?.[1]
    // Lists and what is in them end after the blank lines that follow.
    const last = Math.min(this.#page.firstLine + (end ?? 0), level.firstLine + level.offsets.length)
    return this.#trim(level, [first, last])
  }

  #trim(level: Level, [first, last]: Lines): Lines {
    let end = last
    while (end > first + 1 && this.#isBlank(level, end - 1)) end--
    return [first, end]
  }

  #isBlank(level: Level, line: number): boolean {
    return /^[ \t]*$/.test(this.#page.text.slice(findOffset(level, line), this.#page.ends[line]))
  }

  /** Lines without a token: definitions of references, and what is nested too deep. */
  #addDefinitions(level: Level, [first, last]: Lines, blocks: Node[]): void {
    let start = first
    while (start < last && this.#isBlank(level, start)) start++
    if (start >= last) return
    const lines = this.#trim(level, [start, last])
    blocks.push(createBlock(nodes.source_block, this.#source(level, lines), { text: this.#readText(level, lines) }, []))
  }

  #readText(level: Level, [first, last]: Lines): string {
    return this.#sliceLines(level, [first, last]).join('\n')
  }

  #sliceLines(level: Level, [first, last]: Lines): string[] {
    const lines: string[] = []
    for (let line = first; line < last; line++)
      lines.push(this.#page.text.slice(findOffset(level, line), this.#page.ends[line]))
    return lines
  }

  #source(level: Level, lines: Lines): BlockSource {
    return {
      page: this.#page,
      from: findOffset(level, lines[0]),
      to: this.#page.ends[lines[1] - 1] ?? this.#page.text.length,
      prefix: level.prefix,
      readLines: () => (level.isWhole ? this.#sliceLines(level, lines) : undefined),
    }
  }

  #readBlock(level: Level, lines: Lines, [index, close]: Range): Node {
    const token = this.#token(index)
    const source = this.#source(level, lines)
    switch (token.type) {
      case 'paragraph_open': {
        const content = this.#token(index + 1)
        const isEmptyTask = EMPTY_TASK.test(content.content) && this.#page.tokens[index - 1]?.type === 'list_item_open'
        return createBlock(nodes.paragraph, source, {}, isEmptyTask ? [] : readInline(content))
      }
      case 'heading_open':
        return createBlock(nodes.heading, source, this.#readHeading(token, source), readInline(this.#token(index + 1)))
      case 'bullet_list_open':
      case 'ordered_list_open':
        return this.#readList(level, lines, [index, close])
      case 'blockquote_open':
      case 'alert_open':
        return this.#readQuote(level, lines, [index, close])
      case 'footnote_definition_open':
        return this.#readFootnote(level, lines, [index, close])
      case 'code_block':
      case 'fence': {
        const attrs = { info: token.info.trim(), markup: token.type === 'fence' ? token.markup : 'indented' }
        return createBlock(nodes.code_block, source, attrs, createText(token.content.replace(/\n$/, '')))
      }
      case 'math_block':
        return createBlock(nodes.formula_block, source, {}, createText(token.content.replace(/^\n|\n$/g, '')))
      case 'hr':
        return createBlock(nodes.horizontal_rule, source, { markup: token.markup }, [])
      case 'table_open':
        return readTable(source, this.#page.tokens.slice(index, close), (line) => findOffset(level, line))
      default:
        return this.#readHtml(level, lines, [index, close])
    }
  }

  #readHeading({ tag, markup }: Token, { from, to }: BlockSource) {
    const isClosed = /[ \t]#+[ \t]*$/.test(this.#page.text.slice(from, to))
    return { level: Number(tag.slice(1)), markup: markup.startsWith('#') ? (isClosed ? 'closed' : null) : 'setext' }
  }

  #readList(level: Level, lines: Lines, [index, close]: Range): Node {
    const { type, markup, attrs } = this.#token(index)
    const items: Node[] = []
    let isTight = true
    for (let at = index + 1; at < close; ) {
      const end = this.#closers.get(at) ?? at
      isTight &&= !this.#isLoose(at, end)
      items.push(this.#readItem(level, this.#findLines(level, at, end), [at, end]))
      at = end + 1
    }
    linkBlocks(items)
    const source = this.#source(level, lines)
    if (type === 'bullet_list_open') return createBlock(nodes.bullet_list, source, { tight: isTight, markup }, items)
    const order = Number(attrs?.find(([name]) => name === 'start')?.[1] ?? 1)
    return createBlock(nodes.ordered_list, source, { order, tight: isTight, markup }, items)
  }

  /** Whether a paragraph of the item is shown as one. */
  #isLoose(index: number, close: number): boolean {
    for (let at = index + 1; at < close; at = (this.#closers.get(at) ?? at) + 1) {
      const { type, hidden } = this.#token(at)
      if (type === 'paragraph_open' && !hidden) return true
    }
    return false
  }

  #readItem(level: Level, lines: Lines, [index, close]: Range): Node {
    const inner = enterItem(this.#page, level, lines)
    const content = this.#token(index + 1).type === 'paragraph_open' ? this.#token(index + 2) : undefined
    const task = content && readTask(content)
    if (!content || task === undefined)
      return this.#createContainer(nodes.list_item, { checked: null }, { level, inner, lines, range: [index, close] })
    const line = this.#page.firstLine + (content.map?.[0] ?? 0)
    const offsets = inner.offsets.with(line - inner.firstLine, this.#skipTask(findOffset(inner, line), line))
    const attrs = { checked: task !== ' ' }
    return this.#createContainer(nodes.list_item, attrs, {
      level,
      inner: { ...inner, offsets },
      lines,
      range: [index, close],
    })
  }

  #skipTask(offset: number, line: number): number {
    const [mark = ''] = /^[ \t]*\[[ xX]\][ \t]?/.exec(this.#page.text.slice(offset, this.#page.ends[line])) ?? []
    return offset + mark.length
  }

  #readQuote(level: Level, lines: Lines, [index, close]: Range): Node {
    const { type, info } = this.#token(index)
    const inner = enterQuote(this.#page, level, lines)
    const container = { level, inner, lines, range: [index, close] as const }
    if (type === 'blockquote_open') return this.#createContainer(nodes.blockquote, {}, container)
    return this.#createContainer(nodes.alert, { kind: info }, { ...container, contentLine: lines[0] + 1 })
  }

  #readFootnote(level: Level, lines: Lines, range: Range): Node {
    const inner = enterFootnote(this.#page, level, lines)
    const text = this.#page.text.slice(findOffset(level, lines[0]), this.#page.ends[lines[0]])
    const label = /\[\^([^\]]*)/.exec(text)?.[1] ?? ''
    return this.#createContainer(nodes.footnote, { label }, { level, inner, lines, range })
  }

  #createContainer(
    type: NodeType,
    attrs: Readonly<Record<string, unknown>>,
    {
      level,
      inner,
      lines,
      range: [index, close],
      contentLine = lines[0],
      head = [],
    }: {
      readonly level: Level
      readonly inner: Level
      readonly lines: Lines
      readonly range: Range
      readonly contentLine?: number
      readonly head?: readonly Node[]
    },
  ): Node {
    const end = type === nodes.details ? this.#findLines(level, close, close)[0] : lines[1]
    const blocks = this.readBlocks(inner, [contentLine, end], [index + 1, close])
    const source = this.#source(level, lines)
    const content = { inner: inner.prefix, ...findContent(blocks, source.to) }
    return createBlock(type, { ...source, ...content }, attrs, [...head, ...blocks])
  }

  #readHtml(level: Level, lines: Lines, [index, close]: Range): Node {
    const html = this.#token(index).content.trim()
    const [, open, summary] = (close > index && OPEN_DETAILS.exec(html)) || []
    if (summary !== undefined) {
      const contentLine = this.#findLines(level, index, index)[1]
      const head = [nodes.summary.create(null, createText(unescapeHtml(summary.trim())))]
      const container = { level, inner: level, lines, range: [index, close] as const, contentLine, head }
      return this.#createContainer(nodes.details, { open: open !== undefined }, container)
    }
    const image = readHtml(html)
    if (image.type === nodes.image) return createBlock(nodes.paragraph, this.#source(level, lines), {}, [image])
    return createBlock(nodes.source_block, this.#source(level, lines), { text: this.#readText(level, lines) }, [])
  }
}

function createText(text: string): Node[] {
  return text === '' ? [] : [schema.text(text)]
}

/** The mark in a task's box. One without text is a task as well while it is edited. */
function readTask({ meta, content }: Token): string | undefined {
  return typeof meta?.task === 'string' ? meta.task : EMPTY_TASK.exec(content)?.[1]
}

const EMPTY_TASK = /^\[([ xX])\]$/

function pairTokens(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closers = new Map<number, number>()
  const open: { readonly index: number; readonly details: number[] }[] = [{ index: -1, details: [] }]
  tokens.forEach(({ type, nesting, content }, index) => {
    if (nesting === 1) open.push({ index, details: [] })
    else if (nesting === -1) closers.set(open.pop()?.index ?? -1, index)
    else if (type === 'html_block' && OPEN_DETAILS.test(content)) open.at(-1)?.details.push(index)
    else if (type === 'html_block' && CLOSE_DETAILS.test(content)) {
      const opening = open.at(-1)?.details.pop()
      if (opening !== undefined) closers.set(opening, index)
    }
  })
  return closers
}
