import type { Result } from '@recto/client/transport/operation-types.ts'
import { UsageError } from '../command.ts'
import { operationCommand } from '../operation-command.ts'
import { type CommandSpec, JSON_OPTION, SPACE } from '../spec.ts'

const FOLDER = { name: 'folder', summary: 'path of the folder, such as hr' }
const DRY_RUN = { 'dry-run': { summary: 'say who would gain and who would lose, and change nothing' } } as const
const rules = () => import('./rules.ts')

/** Commands for the folder rules of a space. */
export const ruleCommands: readonly CommandSpec[] = [
  operationCommand('rules', 'list the folder rules of a space', 'spaces.rules.list', {
    arguments: [SPACE],
    examples: [['spaces rules docs']],
    none: 'No folder of the space has a rule.',
    columns: {
      FOLDER: 'prefix…',
      READ: [({ read }) => listNames(read), true],
      WRITE: [({ write }) => listNames(write), true],
      GUESTS: [
        ({ guests }) => guests.map(({ principal, role }) => `${principal.name} (${role})`).join(', ') || '-',
        true,
      ],
      CHANGED: 'updatedAt',
      BY: 'updatedBy…',
    },
  }),
  {
    name: 'set-rule',
    summary: 'set who reads and who writes in a folder',
    about:
      'The rule replaces one that the folder has. `inherit` is what the rule above says, at last the space; ' +
      '`none` is admins of the space alone. Whoever writes also reads.',
    arguments: [SPACE, FOLDER],
    options: {
      read: {
        value: 'who',
        many: true,
        summary: '`inherit`, `none`, or a name, e-mail address, id; of a group `group:` and its name or id',
      },
      write: { value: 'who', many: true, summary: 'the same for writing' },
      guest: {
        value: 'who',
        many: true,
        summary: 'e-mail address or id of a guest who reads there; with `:editor` one who writes',
      },
      ...DRY_RUN,
      ...JSON_OPTION,
    },
    examples: [
      ['spaces set-rule docs hr --read ada@example.org --read group:Payroll --write group:Payroll', ''],
      ['spaces set-rule docs hr --read inherit --write none --guest gina@example.org:editor --dry-run', ''],
    ],
    run: async (call) => {
      for (const name of ['read', 'write']) {
        if (call.list(name).length === 0)
          throw new UsageError(`--${name} is missing: give \`inherit\`, \`none\` or names`)
      }
      await (await rules()).setRule(call)
    },
  },
  {
    name: 'remove-rule',
    summary: 'remove the rule of a folder; the one above decides again',
    arguments: [SPACE, FOLDER],
    options: { ...DRY_RUN, ...JSON_OPTION },
    examples: [['spaces remove-rule docs hr --dry-run', '']],
    run: async (call) => (await rules()).removeRule(call),
  },
]

function listNames(list: Result<'spaces.rules.set', 200>['read']): string {
  if (list === 'inherit') return list
  return list.map(({ principal, group }) => principal?.name ?? `${group?.name} (group)`).join(', ') || 'none'
}
