import { markdownTable } from '@recto/lib/tables/markdown-table.ts'
import TurndownService from 'turndown'
import { find, prepareHtml } from './prepare-html.ts'

const service = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  // Within a word an underscore is text.
  emDelimiter: '*',
})
service.remove(['style', 'script', 'title', 'noscript'])
service.addRule('strikethrough', { filter: ['del', 's'], replacement: (text) => `~~${text}~~` })
service.addRule('html', {
  filter: ['sub', 'sup', 'kbd', 'mark'],
  replacement: (text, { nodeName }) => `<${nodeName.toLowerCase()}>${text}</${nodeName.toLowerCase()}>`,
})
service.addRule('task', {
  filter: (node) => node.nodeName === 'INPUT' && node.getAttribute('type') === 'checkbox',
  replacement: (_, node) => ('hasAttribute' in node && node.hasAttribute('checked') ? '[x] ' : '[ ] '),
})
service.addRule('formula', {
  filter: (node) => node.nodeName === 'X-FORMULA',
  replacement: (_, node) =>
    'hasAttribute' in node && node.hasAttribute('display')
      ? `\n\n$$\n${node.textContent}\n$$\n\n`
      : `$${node.textContent}$`,
})
// Pictures in the document itself, and files of the other computer.
service.addRule('image', {
  filter: (node) => node.nodeName === 'IMG' && !/^https?:/.test(node.getAttribute('src') ?? ''),
  replacement: () => '',
})
service.addRule('item', {
  filter: 'li',
  replacement: (text, node) => {
    const item = node as HTMLElement // of the filter
    const list = item.parentElement
    const at = list === null ? 0 : Array.from(list.children).indexOf(item)
    const mark = list?.nodeName === 'OL' ? `${Number(list.getAttribute('start') ?? 1) + at}. ` : '- '
    const task =
      item.getAttribute('role') === 'checkbox' ? `[${item.getAttribute('aria-checked') === 'true' ? 'x' : ' '}] ` : ''
    const content = text.trim().replace(/^(\[[ x]\]) +/, '$1 ')
    return `${mark}${task}${content.replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`)}\n`
  },
})
service.addRule('code', {
  filter: 'pre',
  replacement(_, node) {
    const pre = node as HTMLElement // of the filter
    const classes = [pre, pre.firstElementChild, pre.parentElement].map((each) => each?.getAttribute('class') ?? '')
    const [, language = ''] = /(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes.join(' ')) ?? []
    const text = pre.textContent.replace(/\n$/, '')
    const fence = /`{3,}/.test(text) ? '~~~~' : '```'
    return `\n\n${fence}${language}\n${text}\n${fence}\n\n`
  },
})
service.addRule('table', {
  filter: 'table',
  replacement: (_, node) => `\n\n${markdownTable(listCells(node as HTMLTableElement))}\n\n`, // of the filter
})

/** Rich text as Markdown. */
export function htmlToMarkdown(document: Document): string {
  prepareHtml(document)
  return service.turndown(document.body.innerHTML).trim()
}

const MAX_SPAN = 100

/** The cells of each row. A cell of several rows or columns is in its first one, and those after it keep theirs. */
function listCells(table: HTMLTableElement): string[][] {
  const rows = find(table, 'tr')
  const cells: string[][] = rows.map(() => [])
  for (const [top, row] of rows.entries()) {
    for (const cell of find(row, 'td, th')) placeCell(cells.slice(top, top + readSpan(cell, 'rowspan')), cell)
  }
  return cells
}

function placeCell(rows: readonly string[][], cell: Element): void {
  const [first = []] = rows
  let column = 0
  while (first[column] !== undefined) column++
  const end = column + readSpan(cell, 'colspan')
  for (const row of rows) for (let each = column; each < end; each++) row[each] = ''
  first[column] = service.turndown(cell.innerHTML)
}

function readSpan(cell: Element, name: 'colspan' | 'rowspan'): number {
  return Math.min(MAX_SPAN, Math.max(1, Number(cell.getAttribute(name)) || 1))
}
