/** Writes the table of error codes into docs/api.md. `npm run errors:docs`; test/error-docs.test.ts compares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '@recto/contract/error-table.ts'

export const API_DOCS = join(import.meta.dirname, '../docs/api.md')
const SECTION = /(<!-- error codes: written by `npm run errors:docs` -->\n)[\s\S]*?(<!-- end of error codes -->\n)/

/** The document with the table as it should be now. */
export function errorDocs(document: string): string {
  if (!SECTION.test(document)) throw new Error('docs/api.md has no section for error codes')
  const rows = Object.entries(ERRORS)
    .sort(([a, { status: x }], [b, { status: y }]) => x - y || (a < b ? -1 : 1))
    .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  const table = ['| status | `code` | title |', '| --- | --- | --- |', ...rows].join('\n')
  return document.replace(SECTION, (_, begin, end) => `${begin}\n${table}\n\n${end}`)
}

if (import.meta.main) writeFileSync(API_DOCS, errorDocs(readFileSync(API_DOCS, 'utf8')))
