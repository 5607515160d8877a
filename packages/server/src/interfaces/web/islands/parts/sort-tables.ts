/** Tables that are sorted by a click on a heading (WAI-ARIA APG, sortable table), and whose head stays in view. */
import { button, filled } from './dom.ts'

const NUMBER = /^[^\d\s.,+-]?([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s?\D{0,3}$/
const MIN_ROWS = 2

export function improveTables(article: HTMLElement): void {
  for (const frame of article.querySelectorAll<HTMLElement>('.table')) {
    const table = frame.querySelector('table')
    if (!table) continue
    // A scroll container keeps the head within itself, so that only tables that need one get it.
    new ResizeObserver(() => frame.classList.toggle('fits', table.scrollWidth <= frame.clientWidth)).observe(frame)
    sortable(table)
  }
}

function sortable(table: HTMLTableElement): void {
  const body = table.tBodies[0]
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])]
  if (!body || body.rows.length < MIN_ROWS || table.querySelector('[colspan], [rowspan]')) return
  const original = [...body.rows]
  for (const [column, head] of heads.entries()) {
    if (head.textContent.trim() === '' || head.querySelector('a, input')) continue
    const control = button('', 'sort', () => {
      const order = nextOrder(head.ariaSort)
      for (const other of heads) other.removeAttribute('aria-sort')
      head.ariaSort = order
      // Appending a row moves it.
      for (const row of order === null ? original : sorted(original, column, order)) body.append(row)
    })
    head.append(filled(control, [...head.childNodes]))
  }
}

type Order = 'ascending' | 'descending'

/** After descending comes the order of the page. */
function nextOrder(order: string | null): Order | null {
  if (order === 'descending') return null
  return order === 'ascending' ? 'descending' : 'ascending'
}

/** Numbers by value if the column has only numbers, otherwise texts in natural order; empty cells are last. */
function sorted(rows: readonly HTMLTableRowElement[], column: number, order: Order): HTMLTableRowElement[] {
  const sign = order === 'ascending' ? 1 : -1
  const keyedRows = rows.map((row) => ({ row, text: row.cells[column]?.textContent.trim() ?? '' }))
  const filledRows = keyedRows.filter(({ text }) => text !== '')
  const compare = filledRows.every(({ text }) => NUMBER.test(text)) ? compareNumbers : compareTexts
  return [
    ...filledRows.sort((a, b) => sign * compare(a.text, b.text)),
    ...keyedRows.filter(({ text }) => text === ''),
  ].map(({ row }) => row)
}

const { compare: compareTexts } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function compareNumbers(a: string, b: string): number {
  return parseNumber(a) - parseNumber(b)
}

function parseNumber(text: string): number {
  return Number(NUMBER.exec(text)?.[1]?.replaceAll(',', ''))
}
