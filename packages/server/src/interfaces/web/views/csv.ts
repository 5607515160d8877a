import type { FoundPage } from '../../../content/metadata/schema.ts'

/** The first line of a view as CSV (RFC 4180). */
export function csvHead(columns: readonly string[]): string {
  return line(['space', 'path', 'title', ...columns])
}

export function csvLine(page: FoundPage, columns: readonly string[]): string {
  const values = columns.map((key) => {
    const value = page.metadata && Object.hasOwn(page.metadata, key) ? page.metadata[key] : ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
  return line([page.space, page.path, page.title, ...values])
}

function line(fields: readonly string[]): string {
  return `${fields.map(field).join(',')}\r\n`
}

/** Prefixes text that a spreadsheet would run as a formula with an apostrophe (CSV injection). */
function field(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
