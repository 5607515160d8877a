import type { Page } from '@recto/client/types.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import { listSpaces } from '../access/access-commands.ts'
import { type CommandCall, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printList } from '../print.ts'
import { type Column, timeText } from '../table.ts'
import { prefixNamed } from './page-name.ts'

const path: Column<Page> = { title: 'PATH', of: (page) => page.path, cut: 'middle' }
const full: Column<Page> = { title: 'PAGE', of: (page) => `${page.space}/${page.path}`, cut: 'middle' }
const rest: readonly Column<Page>[] = [
  { title: 'TITLE', of: ({ title }) => title, cut: true },
  { title: 'VERSION', of: ({ version }) => version, right: true },
  { title: 'CHANGED', of: ({ updatedAt }) => timeText(updatedAt) },
  { title: 'BY', of: ({ updatedBy }) => actorText(updatedBy), cut: true },
]

/** `recto ls`: lists spaces, pages of a space, recent changes or the trash. */
export async function listPagesCommand(call: CommandCall): Promise<void> {
  const spaceName = call.optional('space')
  const [recent, trash] = [call.flag('recent'), call.flag('trash')]
  if (recent && trash) throw new UsageError('--recent cannot be combined with --trash')
  if (spaceName === undefined && trash) throw new UsageError('--trash requires a space')
  const client = openClient(call.terminal)
  if (spaceName === undefined && !recent) {
    await listSpaces.run?.(call)
    return
  }
  const { space, prefix } = prefixNamed(spaceName ?? '')
  if (prefix !== undefined && (recent || trash))
    throw new UsageError('--recent and --trash require a space without a path prefix')
  if (recent) {
    const list = client.pages.recent({ space: space || undefined })
    await printList(call, list, 'No pages.', [full, ...rest])
  } else if (trash) {
    await printList(call, client.pages.trash(space), 'The trash is empty.', [
      { title: 'PATH', of: (page) => page.path, cut: 'middle' },
      { title: 'TITLE', of: (page) => page.title, cut: true },
      { title: 'VERSION', of: (page) => page.version, right: true },
      { title: 'DELETED', of: (page) => timeText(page.deletedAt) },
      { title: 'BY', of: (page) => actorText(page.deletedBy), cut: true },
    ])
  } else {
    await printList(call, client.pages.list(space, { prefix }), 'No such pages.', [path, ...rest])
  }
}
