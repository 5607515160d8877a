import { markdownTable } from '@recto/lib/tables/markdown-table.ts'
import TurndownService from 'turndown'

const service = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  emDelimiter: '_',
})
service.remove(['style', 'script', 'title', 'noscript'])
service.addRule('strikethrough', { filter: ['del', 's'], replacement: (text) => `~~${text}~~` })
service.addRule('task', {
  filter: (node) => node.nodeName === 'INPUT' && node.getAttribute('type') === 'checkbox',
  replacement: (_, node) => (node instanceof Element && node.hasAttribute('checked') ? '[x] ' : '[ ] '),
})
// Pictures in the document itself, and files of the other computer.
service.addRule('image', {
  filter: (node) => node.nodeName === 'IMG' && !/^https?:/.test(node.getAttribute('src') ?? ''),
  replacement: () => '',
})
service.addRule('item', {
  filter: 'li',
  replacement: (text, node) => {
    const list = node.parentElement
    const at = list === null ? 0 : [...list.children].indexOf(node as Element) // of the filter
    const mark = list?.nodeName === 'OL' ? `${Number(list.getAttribute('start') ?? 1) + at}. ` : '- '
    return `${mark}${text.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`)}\n`
  },
})
service.addRule('table', {
  filter: 'table',
  replacement: (_, node) => `\n\n${markdownTable(listCells(node as HTMLTableElement))}\n\n`, // of the filter
})

/** Rich text as Markdown. */
export function htmlToMarkdown(document: Document): string {
  replaceStyles(document)
  return service.turndown(document.body.innerHTML).trim()
}

function listCells(table: HTMLTableElement): string[][] {
  return [...table.querySelectorAll('tr')].map((row) =>
    [...row.querySelectorAll('td, th')].map((cell) => service.turndown(cell.innerHTML)),
  )
}

const BOLD = /font-weight:\s*(?:bold|[6-9]00)/
const ITALIC = /font-style:\s*italic/

/** Word processors mark text by styles, and Google Docs puts everything in a `b` that is not bold. */
function replaceStyles(document: Document): void {
  for (const element of document.querySelectorAll('b[data-style*="normal"]')) {
    while (element.firstChild) element.before(element.firstChild)
    element.remove()
  }
  for (const span of document.querySelectorAll('span[data-style]')) {
    const style = span.getAttribute('data-style') ?? ''
    for (const [pattern, name] of [
      [BOLD, 'strong'],
      [ITALIC, 'em'],
    ] as const) {
      if (!pattern.test(style) || span.textContent.trim() === '') continue
      const mark = document.createElement(name)
      while (span.firstChild) mark.append(span.firstChild)
      span.append(mark)
    }
  }
}
