import type { SearchHit } from '@recto/client/types.ts'
import type { CommandCall, Terminal } from '../command.ts'
import { openClient } from '../connection.ts'
import { parseFilter } from '../metadata/metadata-words.ts'
import { observedList, printJson, printWarnings, readItems } from '../print.ts'
import { bold, dim, oneLine, visible } from '../table.ts'

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }

/** `recto search`: prints hits with their snippets. */
export async function searchCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const filters = call.list('filter').map(parseFilter)
  const foundPages = openClient(terminal).search.pages(call.rest('words').join(' '), {
    space: call.option('space'),
    ...(filters.length > 0 && { filters }),
    ...(call.flag('passages') && { passages: true }),
  })
  const list = observedList(foundPages, (first) => {
    if (first.corrected !== undefined) terminal.err(`Searched for: ${oneLine(first.corrected)}\n`)
    if (first.relaxed) terminal.err('No page has all words.\n')
    printWarnings(call, first)
  })
  // One response has as many passages as a reader wants at once.
  const isFirst = call.flag('passages') && !call.flag('all') && call.option('limit') === undefined
  const hits = isFirst ? (await list.page()).items : await readItems(call, list)
  if (call.flag('json')) printJson(call, hits)
  else if (hits.length === 0) terminal.err('No results.\n')
  else for (const hit of hits) printHit(terminal, hit)
}

function printHit(terminal: Terminal, hit: SearchHit): void {
  const { space, path, title, heading, missing, alsoIn, snippet, passages } = hit
  const place = heading === null || heading === title ? title : `${title} > ${heading}`
  terminal.out(`${bold(terminal, oneLine(`${space}/${path}`))}  ${dim(terminal, oneLine(place))}\n`)
  const parts = oneLine(snippet).split(/<mark>(.*?)<\/mark>/)
  const text = parts.map((part, at) => (at % 2 === 1 ? bold(terminal, plain(part)) : plain(part))).join('')
  for (const passage of passages ?? []) {
    const lines = visible(passage.text)
      .split('\n')
      .map((line) => `    ${line}\n`)
    terminal.out(`  ${dim(terminal, oneLine(`lines ${passage.fromLine} to ${passage.toLine}`))}\n${lines.join('')}`)
  }
  if (!passages && text.trim() !== '') terminal.out(`    ${text}\n`)
  if (missing) terminal.out(`    ${dim(terminal, oneLine(`without ${missing.join(', ')}`))}\n`)
  if (alsoIn) terminal.out(`    ${dim(terminal, oneLine(`also in ${alsoIn.join(', ')}`))}\n`)
}

/** Unescapes text of a snippet, which is HTML with no elements but `mark`. */
function plain(html: string): string {
  return html.replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
}
