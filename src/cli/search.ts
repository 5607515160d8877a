import type { SearchHit } from '../client/types.ts'
import type { CommandCall } from './call.ts'
import { EXIT, type Terminal } from './command.ts'
import { clientOf } from './connection.ts'
import { parseFilter } from './metadata-words.ts'
import { itemsOf, printJson } from './print.ts'
import { bold, dim, oneLine } from './table.ts'

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }

/** `recto search`: pages by words, each with the place where they stand. */
export async function searchCommand(call: CommandCall): Promise<number> {
  const { terminal } = call
  const filters = call.list('filter').map(parseFilter)
  const hits = await itemsOf(
    call,
    clientOf(terminal).search(call.rest('words').join(' '), {
      space: call.option('space'),
      ...(filters.length > 0 && { filters }),
    }),
  )
  if (call.flag('json')) printJson(call, hits)
  else if (hits.length === 0) terminal.err('Nothing was found.\n')
  else for (const hit of hits) printHit(terminal, hit)
  return EXIT.done
}

function printHit(terminal: Terminal, { space, path, title, snippet }: SearchHit): void {
  terminal.out(`${bold(terminal, oneLine(`${space}/${path}`))}  ${dim(terminal, oneLine(title))}\n`)
  const pieces = oneLine(snippet).split(/<mark>(.*?)<\/mark>/)
  const text = pieces
    .map((piece, at) => (at % 2 === 1 ? bold(terminal, plain(piece)) : plain(piece)))
    .join('')
  if (text.trim() !== '') terminal.out(`    ${text}\n`)
}

/** A snippet is HTML in which everything but the marks is escaped. */
function plain(html: string): string {
  return html.replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
}
