import { markdownLanguage } from '@codemirror/lang-markdown'
import { type EditorView, WidgetType } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { type Alignment, parseAlignments, splitCells } from '@recto/lib/tables/table-source.ts'
import { element, filled } from '../../parts/dom.ts'
import { inlineContent } from './inline-content.ts'

const ROW_HEIGHT = 36

/** A table in place of its source. A click places the caret in the source of a cell. */
export class TableWidget extends WidgetType {
  readonly source: string
  constructor(source: string) {
    super()
    this.source = source
  }

  override eq(other: TableWidget): boolean {
    return other.source === this.source
  }

  override get estimatedHeight(): number {
    return (this.source.split('\n').length - 1) * ROW_HEIGHT
  }

  override toDOM(view: EditorView): HTMLElement {
    const container = element('div', { class: 'live-table', dir: 'auto' }, parseTable(this.source))
    container.addEventListener('mousedown', (event) => {
      if (event.button !== 0) return
      const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-at]') : null
      event.preventDefault()
      view.dispatch({ selection: { anchor: view.posAtDOM(container) + Number(cell?.dataset.at ?? 0) } })
      view.focus()
    })
    return container
  }

  override ignoreEvent(): boolean {
    return true
  }
}

function parseTable(source: string): HTMLTableElement {
  const [head = '', delimiters = '', ...rows] = source.split('\n')
  const alignments = parseAlignments(delimiters)
  const nodes = cellNodes(source)
  let from = 0
  const row = (line: string, name: 'th' | 'td') => {
    const start = from
    from += line.length + 1
    const cells = splitCells(line)
    const cellElements = alignments.map((alignment, column) => {
      const cell = cells[column]
      const node = cell && nodes.get(start + cell.from)
      const at = start + (cell?.to ?? line.length)
      return filled(element(name, buildAttributes(at, alignment)), node ? inlineContent(node, source) : [])
    })
    return filled(element('tr'), cellElements)
  }
  const top = element('thead', {}, row(head, 'th'))
  from += delimiters.length + 1
  return element(
    'table',
    {},
    top,
    filled(
      element('tbody'),
      rows.map((line) => row(line, 'td')),
    ),
  )
}

function buildAttributes(at: number, alignment: Alignment): Record<string, string> {
  return { 'data-at': String(at), ...(alignment && { align: alignment }) }
}

/** The parsed cells by their positions. */
function cellNodes(source: string): Map<number, SyntaxNode> {
  const nodes = new Map<number, SyntaxNode>()
  const table = markdownLanguage.parser.parse(source).topNode.firstChild
  for (const row of [...(table?.getChildren('TableHeader') ?? []), ...(table?.getChildren('TableRow') ?? [])]) {
    for (const cell of row.getChildren('TableCell')) nodes.set(cell.from, cell)
  }
  return nodes
}
