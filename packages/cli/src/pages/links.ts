import type { Backlink, Neighbourhood, OutboundLink } from '@recto/client/types.ts'
import { type CommandCall, EXIT, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printJson, printList, readItems } from '../print.ts'
import { bold, type Column, printTable } from '../table.ts'
import { pageNamed } from './page-name.ts'

/** `recto links`: links and backlinks of a page. */
export async function linksCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const { space, path } = pageNamed(call.arg('page'), terminal)
  const client = openClient(terminal)
  const depth = call.number('depth')
  const only = (['outbound', 'backlinks'] as const).filter((name) => call.flag(name))
  if (depth !== undefined && only.length > 0) throw new UsageError(`--depth cannot be combined with --${only[0]}`)
  if (depth !== undefined) return printNeighbourhood(call, await client.pages.neighbourhood(space, path, depth))
  const wants = (name: 'outbound' | 'backlinks') => only.length === 0 || only.includes(name)
  const outbound = wants('outbound') ? (await client.pages.links(space, path, { limit: 1 })).outbound : undefined
  const backlinks = wants('backlinks') ? await readItems(call, client.pages.backlinks(space, path)) : undefined
  if (call.flag('json'))
    return printJson(call, { space, path, ...(outbound && { outbound }), ...(backlinks && { backlinks }) })
  if (outbound) {
    terminal.out(`${bold(terminal, `Links: ${outbound.length}`)}\n`)
    printTable(terminal, OUTBOUND, outbound)
  }
  if (outbound && backlinks) terminal.out('\n')
  if (backlinks) {
    terminal.out(`${bold(terminal, `Pages that link here: ${backlinks.length}`)}\n`)
    printTable(terminal, BACKLINKS, backlinks)
  }
}

function printNeighbourhood(call: CommandCall, neighbourhood: Neighbourhood): void {
  if (call.flag('json')) printJson(call, neighbourhood)
  else printTable(call.terminal, NODES, neighbourhood.nodes)
  if (neighbourhood.truncated) call.terminal.err('The result is truncated.\n')
}

/** `recto links broken` */
export async function brokenCommand(call: CommandCall): Promise<number> {
  const list = openClient(call.terminal).links.broken(call.arg('space'))
  const brokenItems = await printList(call, list, 'No broken links.', [
    { title: 'ON PAGE', of: ({ source }) => source.path, cut: 'middle' },
    { title: 'LINE', of: ({ line }) => line, right: true },
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'REASON', of: ({ reason }) => (reason === 'missing' ? 'missing' : 'no such space, or no access') },
    { title: 'TARGET', of: ({ target }) => `${target.space}/${target.path}`, cut: 'middle' },
    { title: 'TEXT', of: ({ text }) => text, cut: true },
  ])
  return call.flag('check') && brokenItems.length > 0 ? EXIT.partial : EXIT.done
}

type Target = Pick<OutboundLink, 'space' | 'path' | 'title' | 'exists'>

const PAGE: Column<Target> = { title: 'PAGE', of: ({ space, path }) => `${space}/${path}`, cut: 'middle' }
const TITLE: Column<Target> = {
  title: 'TITLE',
  of: ({ title, exists }) => title ?? (exists === false ? '(missing)' : '(not visible)'),
  cut: true,
}
const OUTBOUND: readonly Column<OutboundLink>[] = [
  { title: 'LINE', of: ({ line }) => line, right: true },
  PAGE,
  TITLE,
  { title: 'TEXT', of: ({ text }) => text, cut: true },
]
const NODES: readonly Column<Neighbourhood['nodes'][number]>[] = [
  { title: 'DISTANCE', of: ({ distance }) => distance, right: true },
  PAGE,
  TITLE,
]
const BACKLINKS: readonly Column<Backlink>[] = [
  { title: 'PAGE', of: ({ space, path }) => `${space}/${path}`, cut: 'middle' },
  { title: 'TITLE', of: ({ title }) => title, cut: true },
  { title: 'TEXT', of: ({ text }) => text, cut: true },
  { title: 'VIA', of: ({ via }) => (via ? `${via.space}/${via.path}` : ''), cut: 'middle' },
]
