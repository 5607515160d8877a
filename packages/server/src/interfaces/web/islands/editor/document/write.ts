import { frontMatterEnd } from '@recto/markdown/front-matter-block.ts'
import type { Node } from 'prosemirror-model'
import { trimContent } from './content.ts'
import { longestRun } from './escape.ts'
import { Page } from './page.ts'
import { schema } from './schema.ts'
import { type BlockSource, isUnchanged, readSource } from './source.ts'
import { writeTable } from './write-table.ts'
import { writeText } from './write-text.ts'

const { nodes } = schema

/**
 * The Markdown of a document. A block that is as it was read is written as the bytes from which it was read, also
 * within containers; what is between two blocks stays while they follow each other.
 */
export function writeDocument(doc: Node): string {
  const source = readSource(doc)
  const page = source?.page ?? new Page('')
  const body = new Writer(page, hasAllDefinitions(doc, source)).writeBlocks(doc.children, '', false)
  const { contentFrom = 0, contentTo = 0 } = source ?? {}
  const wasEmpty = contentFrom === contentTo
  if (body === '') return wasEmpty ? page.text : page.text.slice(0, contentFrom)
  const tail = wasEmpty ? page.style.lineEnd : page.text.slice(contentTo)
  const text = page.text.slice(0, contentFrom) + body + tail
  // A rule in the first line and another one would be front matter.
  const isRule = doc.firstChild?.type !== nodes.front_matter && frontMatterEnd(text) > 0
  return isRule ? text.replace('---', '***') : text
}

/** Whether all definitions are there to which links of the page may refer. */
function hasAllDefinitions(doc: Node, source: BlockSource | undefined): boolean {
  const definitions = source?.node?.children.filter(({ type }) => type === nodes.source_block) ?? []
  if (definitions.length === 0) return true
  const presentSources = new Set(doc.children.map(readSource))
  return definitions.every((node) => presentSources.has(readSource(node)))
}

/** Where a block is written. */
interface Position {
  readonly prefix: string
  readonly before: Node | undefined
  /** Whether the block before it and it followed each other in the page. */
  readonly isAdjacent: boolean
}

class Writer {
  readonly #page: Page
  readonly #hasReferences: boolean
  /** The bullet or delimiter of each list that is written. */
  readonly #marks = new WeakMap<Node, string>()

  constructor(page: Page, hasReferences: boolean) {
    this.#page = page
    this.#hasReferences = hasReferences
  }

  /** Blocks that begin after what is written, and whose further lines begin with the prefix. */
  writeBlocks(blocks: readonly Node[], prefix: string, isTight: boolean): string {
    let text = ''
    let before: Node | undefined
    for (const block of blocks) {
      const gap = before && this.#readGap(before, block, prefix)
      const blockText = this.#writeBlock(block, { prefix, before, isAdjacent: gap !== undefined })
      if (blockText === '') continue
      if (before) text += gap ?? this.#newGap(before, block, prefix, isTight)
      text += blockText
      before = block
    }
    return text
  }

  /** What is between two blocks that followed each other in the page. */
  #readGap(before: Node, block: Node, prefix: string): string | undefined {
    const [first, second] = [readSource(before), readSource(block)]
    if (!first || !second || first.page !== second.page || first.next !== second.from) return undefined
    if (first.prefix !== prefix || second.prefix !== prefix) return undefined
    if (first.node?.type !== before.type || second.node?.type !== block.type) return undefined
    const gap = first.page.text.slice(first.to, second.from)
    const isBlankMissing = needsBlankLine(before, block) && gap.split(/\r\n?|\n/).length < 3
    return isBlankMissing && !isUnchanged(block, second) ? undefined : gap
  }

  #newGap(before: Node, block: Node, prefix: string, isTight: boolean): string {
    const lineEnd = this.#lineEnd(prefix)
    const mayFollow = before.type === nodes.list_item || (before.type === nodes.paragraph && isList(block))
    return isTight && mayFollow && !needsBlankLine(before, block)
      ? lineEnd
      : this.#page.style.lineEnd + prefix.trimEnd() + lineEnd
  }

  #lineEnd(prefix: string): string {
    return this.#page.style.lineEnd + prefix
  }

  #writeBlock(block: Node, position: Position): string {
    return this.#readBytes(block, position) ?? this.#writeLines(block, position)
  }

  /** The bytes of a block that is as it was read. */
  #readBytes(block: Node, { prefix, before, isAdjacent }: Position): string | undefined {
    const source = readSource(block)
    if (!source || !isUnchanged(block, source)) return undefined
    const joins = before !== undefined && !isAdjacent
    if (joins && joinsList(before, block)) return undefined
    // Indented code would belong to a list before it.
    if (joins && block.attrs.markup === 'indented') return undefined
    if (source.prefix === prefix) {
      const bytes = source.page.text.slice(source.from, source.to)
      return joins && !isList(block) ? bytes.replace(/^ {1,3}/, '') : bytes
    }
    // Items begin with their marks, which their list writes.
    const lines = isList(block) ? undefined : source.readLines?.()
    return lines && this.#joinLines(lines, prefix)
  }

  #joinLines(lines: readonly string[], prefix: string): string {
    return lines.reduce(
      (text, line) => text + this.#page.style.lineEnd + (line === '' ? prefix.trimEnd() : prefix + line),
    )
  }

  #writeLines(block: Node, position: Position): string {
    const { prefix } = position
    switch (block.type) {
      case nodes.bullet_list:
      case nodes.ordered_list:
        return this.#writeList(block, position)
      case nodes.blockquote:
        return this.#writeContainer(block, prefix, { lead: '> ', inner: `${prefix}> ` })
      case nodes.alert: {
        const lead = `> [!${block.attrs.kind.toUpperCase()}]${this.#lineEnd(prefix)}> `
        return this.#writeContainer(block, prefix, { lead, inner: `${prefix}> ` })
      }
      case nodes.footnote:
        return this.#writeContainer(block, prefix, { lead: `[^${block.attrs.label}]: `, inner: `${prefix}    ` })
      case nodes.details:
        return this.#writeDetails(block, prefix)
      case nodes.table:
        return writeTable(block, {
          prefix,
          lineEnd: this.#page.style.lineEnd,
          writeCell: (cell) => this.#writeText(cell, 'cell'),
        })
      default:
        return this.#joinLines(this.#writeLeaf(block, prefix).split('\n'), prefix)
    }
  }

  #writeText(block: Node, place: 'paragraph' | 'heading' | 'lines' | 'cell'): string {
    return writeText(block, { place, page: this.#page, hasReferences: this.#hasReferences })
  }

  #writeLeaf(block: Node, prefix: string): string {
    const { attrs, textContent } = block
    switch (block.type) {
      case nodes.heading:
        return this.#writeHeading(block, prefix)
      case nodes.code_block:
        return this.#writeCode(textContent, attrs.info, attrs.markup)
      case nodes.formula_block:
        return textContent.trim() === '' ? '' : `$$\n${textContent}\n$$`
      case nodes.horizontal_rule:
        // Dashes and stars would be a list with what is before them.
        return prefix === '' ? (attrs.markup ?? this.#page.style.rule) : '___'
      case nodes.source_block:
      case nodes.front_matter:
        return attrs.text
      default:
        return this.#writeText(block, 'paragraph')
    }
  }

  #writeHeading(block: Node, prefix: string): string {
    const { level, markup } = block.attrs
    // With a pipe or an item's mark in it, a heading of two lines could be a table.
    const place =
      markup === 'setext' && level <= 2 && prefix === '' && !block.textContent.includes('|') ? 'lines' : 'heading'
    const text = this.#writeText(block, place)
    if (place === 'lines' && text !== '')
      return `${text}\n${(level === 1 ? '=' : '-').repeat(Math.max(3, text.length))}`
    const marks = '#'.repeat(level)
    return [marks, text, markup === 'closed' ? marks : ''].filter((part) => part !== '').join(' ')
  }

  #writeCode(text: string, info: string, markup: string | null): string {
    const style = markup === null || markup === 'indented' ? this.#page.style.fence : markup
    const char = info.includes('`') ? '~' : (style[0] ?? '`')
    const length = Math.max(longestRun(text, char) + 1, char === style[0] ? style.length : 3)
    const fence = char.repeat(length)
    return text === '' ? `${fence}${info}\n${fence}` : `${fence}${info}\n${text}\n${fence}`
  }

  /** A container keeps its own lines while its attributes do. */
  #writeContainer(
    block: Node,
    prefix: string,
    { lead, inner, tail = '' }: { readonly lead: string; readonly inner: string; readonly tail?: string },
    content: readonly Node[] = block.children,
  ): string {
    const source = readSource(block)
    const keepsLines =
      source?.prefix === prefix &&
      source.contentFrom !== undefined &&
      source.contentFrom < source.to &&
      source.node?.sameMarkup(block) &&
      (block.type !== nodes.details || source.node.child(0).eq(block.child(0)))
    if (!keepsLines || source.inner === undefined) {
      return (lead + this.writeBlocks(content, inner, false)).replace(/[ \t]+$/, '') + tail
    }
    const { text } = source.page
    const body = this.writeBlocks(content, source.inner, false)
    return text.slice(source.from, source.contentFrom) + body + text.slice(source.contentTo, source.to)
  }

  #writeDetails(block: Node, prefix: string): string {
    const lineEnd = this.#lineEnd(prefix)
    const blankLine = this.#page.style.lineEnd + prefix.trimEnd() + lineEnd
    const summary = block.child(0).textContent.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const lead = `<details${block.attrs.open ? ' open' : ''}>${lineEnd}<summary>${summary}</summary>${blankLine}`
    return this.#writeContainer(
      block,
      prefix,
      { lead, inner: prefix, tail: `${blankLine}</details>` },
      block.children.slice(1),
    )
  }

  #writeList(list: Node, position: Position): string {
    const { prefix } = position
    const { order, tight } = list.attrs
    const mark = this.#findMark(list, position)
    const indent = findIndent(list, position)
    let text = ''
    let number = order
    let keepsIndent = true
    for (const [index, item] of list.children.entries()) {
      const last = list.children[index - 1]
      if (last && order !== undefined) number = readNumber(item) ?? number + 1
      const gap = last && this.#readGap(last, item, prefix)
      keepsIndent = readIndent(item, prefix) === indent || (keepsIndent && gap !== undefined)
      const ownGap = keepsIndent || !readIndent(item, prefix)?.includes('\t') ? gap : undefined
      if (last) text += ownGap ?? this.#newGap(last, item, prefix, tight)
      text += this.#writeItem(item, { prefix, indent, keepsIndent, marker: `${number ?? ''}${mark}`, isTight: tight })
    }
    return text
  }

  /** The bullet or the delimiter of a list: another than that of the list before it. */
  #findMark(list: Node, { before, isAdjacent }: Position): string {
    const ownMark = readMark(list, this.#page)
    const joins = !isAdjacent && before?.type === list.type
    const isSame = joins && ownMark === (this.#marks.get(before) ?? readMark(before, this.#page))
    const mark = (isSame ? OTHER_MARKS[ownMark] : undefined) ?? ownMark
    this.#marks.set(list, mark)
    return mark
  }

  #writeItem(
    item: Node,
    {
      prefix,
      indent,
      keepsIndent,
      marker,
      isTight,
    }: {
      readonly prefix: string
      readonly indent: string
      readonly keepsIndent: boolean
      readonly marker: string
      readonly isTight: boolean
    },
  ): string {
    const source = readSource(item)
    const ownLead = source?.prefix === prefix ? source.page.text.slice(source.from, source.contentFrom) : ''
    const keepsMarker = keepsIndent && LEAD_MARKER.exec(ownLead)?.[1] === marker
    if (source && keepsMarker && isUnchanged(item, source)) return source.page.text.slice(source.from, source.to)
    const parts = keepsMarker ? LEAD.exec(ownLead) : undefined
    const [, mark = `${indent}${marker} `, ownTask = ''] = parts ?? []
    const lead = mark + writeTask(item.attrs.checked, ownTask)
    const inner =
      parts && source?.inner !== undefined
        ? source.inner
        : prefix + ' '.repeat(measureIndent(indent, prefix) + marker.length + 1)
    return this.#writeContent(item, { lead, inner, isTight, own: parts ? source : undefined })
  }

  /** The mark of an item and what follows; `own` is what the mark was read from. */
  #writeContent(
    item: Node,
    {
      lead,
      inner,
      isTight,
      own,
    }: {
      readonly lead: string
      readonly inner: string
      readonly isTight: boolean
      readonly own: BlockSource | undefined
    },
  ): string {
    const body = this.writeBlocks(item.children, inner, isTight)
    if (body === '') return item.attrs.checked === null ? lead.trimEnd() : lead
    const first = item.children.find(
      (block) => block.type !== nodes.paragraph || trimContent(block.children).length > 0,
    )
    const { firstChild: head } = item
    // What is between the mark and the text, such as a line end, stays.
    if (own && first && head && head !== first && this.#readGap(head, first, inner) !== undefined) {
      const rest = this.writeBlocks(item.children.slice(item.children.indexOf(first)), inner, isTight)
      return lead + own.page.text.slice(own.contentFrom, readSource(first)?.from) + rest
    }
    const isText = first?.type === nodes.paragraph
    const isNested = first && !isText && (item.attrs.checked !== null || first !== head)
    if (!isNested) return (lead.endsWith(']') && !/^\s/.test(body) ? `${lead} ` : lead) + body
    // The box of a task is a paragraph.
    const gap =
      item.attrs.checked === null ? this.#lineEnd(inner) : this.#newGap(nodes.paragraph.create(), first, inner, false)
    return lead.trimEnd() + gap + body
  }
}

const LEAD_MARKER = /^[ \t]*([-+*]|\d{1,9}[.)])/
const LEAD = /^([ \t]*(?:[-+*]|\d{1,9}[.)])\s+)(\[[ xX]\]\s*)?$/

function writeTask(checked: boolean | null, ownTask: string): string {
  if (checked === null) return ''
  const isKept = ownTask !== '' && (ownTask[1] !== ' ') === checked
  return isKept ? ownTask : `[${checked ? 'x' : ' '}]${ownTask.slice(3) || ' '}`
}

/** The spaces before the marks of a list. */
function findIndent(list: Node, { prefix, before, isAdjacent }: Position): string {
  const indent = list.children.map((item) => readIndent(item, prefix)).find((own) => own !== undefined) ?? ''
  if (!before || isAdjacent) return indent
  // An indented list would belong to the last item of a list before it, and a tab belongs to the container in part.
  return isList(before) || indent.includes('\t') ? '' : indent
}

/** The columns of spaces and tabs after a prefix. */
function measureIndent(indent: string, { length }: string): number {
  return [...indent].reduce((column, char) => column + (char === '\t' ? 4 - (column % 4) : 1), length) - length
}

/** The spaces before the mark of an item that was read with the prefix. */
function readIndent(item: Node, prefix: string): string | undefined {
  const source = readSource(item)
  return source?.prefix === prefix ? /^[ \t]*/.exec(source.page.text.slice(source.from, source.to))?.[0] : undefined
}

/** The number that an item has in the page. */
function readNumber(item: Node): number | undefined {
  const source = readSource(item)
  const digits = source && /^[ \t]*(\d+)/.exec(source.page.text.slice(source.from, source.contentFrom))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const OTHER_MARKS: Readonly<Record<string, string>> = { '-': '*', '*': '-', '+': '-', '.': ')', ')': '.' }

/** Whether the list would be text of the paragraph before it: one that begins with an empty item or another number. */
function needsBlankLine(before: Node, block: Node): boolean {
  const item = isList(block) ? block.firstChild : null
  const text = item?.attrs.checked === null ? item.firstChild : null
  const isEmpty = text?.type === nodes.paragraph && text.content.size === 0
  return before.type === nodes.paragraph && isList(block) && (isEmpty || (block.attrs.order ?? 1) !== 1)
}

function isList({ type }: Node): boolean {
  return type === nodes.bullet_list || type === nodes.ordered_list
}

function readMark({ type, attrs }: Node, { style }: Page): string {
  return attrs.markup ?? (type === nodes.bullet_list ? style.bullet : style.delimiter)
}

/** Whether a list would be one with that before it, or within it. */
function joinsList(before: Node, block: Node): boolean {
  return isList(block) && isList(before)
}
