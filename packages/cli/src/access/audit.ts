import { given } from '../../../lib/src/given.ts'
import type { CommandCall } from '../call.ts'
import { openClient } from '../connection.ts'
import { printList } from '../print.ts'
import { timeText } from '../table.ts'

/** `recto audit`: lists audit events, newest first. */
export async function auditCommand(call: CommandCall): Promise<void> {
  const names = ['actor', 'target', 'action', 'since', 'until'] as const
  const filters = Object.fromEntries(names.map((name) => [name, call.option(name)]))
  await printList(call, openClient(call.terminal).audit.list(given(filters)), 'No matching audit events.', [
    { title: 'CREATED', of: ({ createdAt }) => timeText(createdAt) },
    { title: 'ACTION', of: ({ action }) => action },
    { title: 'BY', of: ({ actor }) => actor?.name, cut: true },
    { title: 'TARGET', of: ({ target }) => `${target.type} ${target.name}`, cut: true },
    { title: 'FROM', of: ({ address }) => address },
  ])
}
