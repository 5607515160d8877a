/** Writes the reference of the commands into docs/cli.md. `npm run cli:docs`; test/cli/commands.test.ts compares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandReference } from './command-reference.ts'

export const CLI_DOCS = join(import.meta.dirname, '../docs/cli.md')
const MARK = '<!-- From here on it is made by `npm run cli:docs`. -->\n'

/** The page with its generated part replaced. */
export function cliDocs(present: string): string {
  const end = present.indexOf(MARK)
  if (end === -1) throw new Error(`docs/cli.md lacks the line ${MARK}`)
  return `${present.slice(0, end)}${MARK}\n${commandReference()}\n`
}

if (import.meta.main) writeFileSync(CLI_DOCS, cliDocs(readFileSync(CLI_DOCS, 'utf8')))
