import type { CommandCall } from './call.ts'
import { EXIT, UsageError } from './command.ts'
import { clientOf } from './connection.ts'
import { pageNamed } from './page-name.ts'
import { itemsOf, printJson, printList } from './print.ts'
import { bold, type Column, printTable, timeText } from './table.ts'

/** `recto links`: what a page links to, and what links to it. */
export async function linksCommand(call: CommandCall): Promise<number> {
  const { terminal } = call
  const { space, path } = pageNamed(call.arg('page'), terminal)
  const client = clientOf(terminal)
  const depth = call.number('depth')
  const only = (['outbound', 'backlinks'] as const).filter((name) => call.flag(name))
  if (depth !== undefined) {
    if (only.length > 0) throw new UsageError(`--depth does not go with --${only[0]}`)
    const around = await client.getNeighbourhood(space, path, depth)
    if (call.flag('json')) printJson(call, around)
    else printTable(terminal, NODES, around.nodes)
    if (around.truncated) terminal.err('The neighbourhood has more than is shown.\n')
    return EXIT.done
  }
  const wants = (name: 'outbound' | 'backlinks') => only.length === 0 || only.includes(name)
  const outbound = wants('outbound') ? (await client.getLinks(space, path, { limit: 1 })).outbound : undefined
  const backlinks = wants('backlinks') ? await itemsOf(call, client.listBacklinks(space, path)) : undefined
  if (call.flag('json')) {
    printJson(call, { space, path, ...(outbound && { outbound }), ...(backlinks && { backlinks }) })
    return EXIT.done
  }
  if (outbound) {
    terminal.out(`${bold(terminal, `Links: ${outbound.length}`)}\n`)
    printTable(terminal, OUTBOUND, outbound)
  }
  if (outbound && backlinks) terminal.out('\n')
  if (backlinks) {
    terminal.out(`${bold(terminal, `Pages that link here: ${backlinks.length}`)}\n`)
    printTable(terminal, BACKLINKS, backlinks)
  }
  return EXIT.done
}

/** `recto broken`: links that lead nowhere. */
export async function brokenCommand(call: CommandCall): Promise<number> {
  const found = await printList(
    call,
    clientOf(call.terminal).listBrokenLinks(call.arg('space')),
    [
      { title: 'ON PAGE', of: ({ source }) => source.path, cut: 'middle' },
      { title: 'LINE', of: ({ line }) => line, right: true },
      { title: 'LEADS TO', of: ({ target }) => `${target.space}/${target.path}`, cut: 'middle' },
      { title: 'TEXT', of: ({ text }) => text, cut: true },
    ],
    'No link is broken.',
  )
  return call.flag('check') && found.length > 0 ? EXIT.refused : EXIT.done
}

/** `recto orphans`: pages to which no page links. */
export async function orphansCommand(call: CommandCall): Promise<number> {
  await printList(
    call,
    clientOf(call.terminal).listOrphans(call.arg('space')),
    [
      { title: 'PATH', of: ({ path }) => path, cut: 'middle' },
      { title: 'TITLE', of: ({ title }) => title, cut: true },
      { title: 'CHANGED', of: ({ updatedAt }) => timeText(updatedAt) },
    ],
    'Every page is linked to.',
  )
  return EXIT.done
}

/** `recto wanted`: missing pages that are linked to. */
export async function wantedCommand(call: CommandCall): Promise<number> {
  await printList(
    call,
    clientOf(call.terminal).listWanted(call.arg('space')),
    [
      { title: 'MISSING PAGE', of: ({ space, path }) => `${space}/${path}`, cut: 'middle' },
      { title: 'LINKED BY', of: ({ pageCount }) => pageCount, right: true },
    ],
    'No page is missing.',
  )
  return EXIT.done
}

interface Target {
  readonly space: string
  readonly path: string
  readonly title: string | null
  readonly exists: boolean | null
}

const PAGE: Column<Target> = { title: 'PAGE', of: ({ space, path }) => `${space}/${path}`, cut: 'middle' }
const TITLE: Column<Target> = {
  title: 'TITLE',
  of: ({ title, exists }) => title ?? (exists === false ? '(missing)' : '(not visible)'),
  cut: true,
}
const OUTBOUND: readonly Column<Target & { readonly line: number; readonly text: string }>[] = [
  { title: 'LINE', of: ({ line }) => line, right: true },
  PAGE,
  TITLE,
  { title: 'TEXT', of: ({ text }) => text, cut: true },
]
const NODES: readonly Column<Target & { readonly distance: number }>[] = [
  { title: 'DISTANCE', of: ({ distance }) => distance, right: true },
  PAGE,
  TITLE,
]
const BACKLINKS: readonly Column<{
  readonly space: string
  readonly path: string
  readonly title: string
  readonly text: string
  readonly via: { readonly space: string; readonly path: string } | null
}>[] = [
  { title: 'PAGE', of: ({ space, path }) => `${space}/${path}`, cut: 'middle' },
  { title: 'TITLE', of: ({ title }) => title, cut: true },
  { title: 'TEXT', of: ({ text }) => text, cut: true },
  { title: 'VIA', of: ({ via }) => (via ? `${via.space}/${via.path}` : ''), cut: 'middle' },
]
