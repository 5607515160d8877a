/** A GFM table; the first row is its head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, column) => formatCell(cells[column] ?? '')).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n')
}

function formatCell(text: string): string {
  const lines = text.replace(/\\?\|/g, '\\|').trim().split('\n')
  return lines.map((line) => line.trim()).join('<br>')
}

/** The cells of a part of a spreadsheet, copied as text; undefined without two rows and columns. */
export function spreadsheetCells(text: string): string[][] | undefined {
  const rows = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'))
  const width = rows[0]?.length ?? 0
  return rows.length > 1 && width > 1 && rows.every((row) => row.length === width) ? rows : undefined
}
