import type { CommandCall } from '../call.ts'
import { EXIT } from '../command.ts'
import { clientOf } from '../connection.ts'
import { printList } from '../print.ts'
import { timeText } from '../table.ts'

/** `recto audit`: lists audit events, newest first. */
export async function auditCommand(call: CommandCall): Promise<number> {
  const names = ['actor', 'target', 'action', 'since', 'until'] as const
  const filters = names.map((name) => [name, call.option(name)] as const)
  await printList(
    call,
    clientOf(call.terminal).audit.list(
      Object.fromEntries(filters.filter(([, value]) => value !== undefined)),
    ),
    [
      { title: 'CREATED', of: ({ createdAt }) => timeText(createdAt) },
      { title: 'ACTION', of: ({ action }) => action },
      { title: 'BY', of: ({ actor }) => actor?.name, cut: true },
      { title: 'TARGET', of: ({ target }) => `${target.type} ${target.name}`, cut: true },
      { title: 'FROM', of: ({ address }) => address },
    ],
    'No matching audit events.',
  )
  return EXIT.done
}
