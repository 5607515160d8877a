import { markdownTable } from '@recto/lib/tables/markdown-table.ts'
import TurndownService from 'turndown'
import { find } from './html-elements.ts'
import { prepareHtml } from './prepare-html.ts'

const service = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  // Within a word an underscore is text.
  emDelimiter: '*',
  hr: '---',
})
service.remove(['style', 'script', 'title', 'noscript'])
addMark('strong', '**', ['strong', 'b'])
addMark('em', '*', ['em', 'i'])
addMark('del', '~~', ['del', 's'])
service.addRule('raw', {
  filter: (node) => node.nodeName === 'X-RAW',
  replacement: (_, node) => node.textContent ?? '',
})
service.addRule('details', {
  filter: 'details',
  replacement: (text) => `\n\n<details>\n${text.trim()}\n\n</details>\n\n`,
})
service.addRule('alert', {
  filter: (node) => node.nodeName === 'DIV' && node.getAttribute('data-alert') !== null,
  replacement(text, node) {
    const lines = `[!${(node as HTMLElement).getAttribute('data-alert')}]\n${text.trim()}`.split('\n') // of the filter
    return `\n\n${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\n`
  },
})
service.addRule('summary', { filter: 'summary', replacement: (text) => `<summary>${text.trim()}</summary>\n\n` })
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
    const content = text.trim().replace(/^\\?(\[[ x])\\?(\])\s+/, '$1$2 ')
    return `${mark}${task}${content.replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`)}\n`
  },
})
service.addRule('code', {
  filter: 'pre',
  replacement(_, node) {
    const pre = node as HTMLElement // of the filter
    const codes = pre.querySelectorAll('code')
    const code = codes.length === 1 ? codes[0] : pre
    const classes = [code, pre, pre.parentElement].map((each) => each?.getAttribute('class') ?? '')
    const [, language = ''] = /(?:(?:language|lang|highlight-source)-|brush: )([\w+#-]+)/.exec(classes.join(' ')) ?? []
    const text = (code ?? pre).textContent.replace(/\n$/, '')
    const fence = /`{3,}/.test(text) ? '~~~~' : '```'
    return `\n\n${fence}${language}\n${text}\n${fence}\n\n`
  },
})
service.addRule('table', {
  filter: 'table',
  replacement: (_, node) => `\n\n${markdownTable(listCells(node as HTMLTableElement))}\n\n`, // of the filter
})

/** Emphasis; as elements where Markdown does not read it: between a letter and punctuation (CommonMark, flanking). */
function addMark(name: string, markup: string, filter: (keyof HTMLElementTagNameMap)[]): void {
  service.addRule(name, {
    filter,
    replacement(text, node) {
      if (text.trim() === '') return text
      const [before, after] = [readBeside(node, 'previousSibling').at(-1), readBeside(node, 'nextSibling')[0]]
      const isTight = (char = ' ', edge = '') => /[\p{L}\p{N}]/u.test(char) && /[^\p{L}\p{N}*~_]/u.test(edge)
      const inner = text.replace(/^[*~_]+|[*~_]+$/g, '')
      const isOpen = isTight(before, inner[0]) || isTight(after, inner.at(-1))
      return isOpen ? `<${name}>${text}</${name}>` : markup + text + markup
    },
  })
}

const WITH_MARKUP = /^(?:A|B|CODE|DEL|EM|I|KBD|MARK|S|STRIKE|STRONG|SUB|SUP)$/

/** The text next to an element, also next to those around it; markup begins and ends with punctuation. */
function readBeside(node: Node, side: 'previousSibling' | 'nextSibling'): string {
  const { parentNode: parent, [side]: sibling } = node
  if (sibling) return WITH_MARKUP.test(sibling.nodeName) ? '*' : (sibling.textContent ?? '')
  return parent && WITH_MARKUP.test(parent.nodeName) ? readBeside(parent, side) : ''
}

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
