import { operationCommand } from '../operation-command.ts'
import { type CommandSpec, SPACE } from '../spec.ts'

const GROUP = { name: 'group', summary: 'id of a group, as listed by `recto groups list`' }
const PRINCIPAL = { name: 'principal', summary: 'id of a person or agent, as listed by `recto principals list`' }
const DESCRIPTION = { description: { value: 'text', summary: 'description' } } as const

export const groupCommands: readonly CommandSpec[] = [
  {
    name: 'groups',
    summary: 'manage groups of people and agents; organisation admins only',
    commands: [
      operationCommand('list', 'list groups', 'groups.list', {
        options: {
          name: { value: 'text', summary: 'part of the name' },
          member: { value: 'id', summary: 'only the groups of this person or agent' },
        },
        examples: [['groups list']],
        none: 'No matching groups.',
        columns: {
          ID: 'id',
          NAME: 'name…',
          MEMBERS: 'memberCount',
          'MANAGED BY': ({ managedBy }) => managedBy ?? '-',
          DESCRIPTION: 'description…',
        },
      }),
      operationCommand('create', 'create a group', 'groups.create', {
        arguments: [{ name: 'name', summary: 'its name' }],
        options: DESCRIPTION,
        examples: [['groups create Writers']],
        text: ({ name, id }) => `Created ${name} (${id}).`,
      }),
      operationCommand('show', 'show a group', 'groups.get', {
        arguments: [GROUP],
        examples: [['groups show 0196f3f0-...']],
      }),
      operationCommand('update', 'change the name or description of a group', 'groups.update', {
        arguments: [GROUP],
        options: { name: { value: 'text', summary: 'new name' }, ...DESCRIPTION },
        examples: [['groups update 0196f3f0-... --name Authors']],
        text: ({ name, id }) => `Changed ${name} (${id}).`,
      }),
      operationCommand('delete', 'delete a group; its members lose the roles that it gave them', 'groups.delete', {
        arguments: [GROUP],
        examples: [['groups delete 0196f3f0-...']],
        plain: true,
        text: (_, call) => `Deleted ${call.arg('group')}.`,
      }),
      operationCommand('members', 'list the members of a group', 'groups.members.list', {
        arguments: [GROUP],
        examples: [['groups members 0196f3f0-...']],
        none: 'The group has no members.',
        columns: {
          ID: 'principal.id',
          NAME: 'principal.name…',
          KIND: 'principal.kind',
          'ADDED BY': 'source',
          SINCE: 'createdAt',
        },
      }),
      operationCommand('spaces', 'list the spaces where a group has a role', 'groups.spaces', {
        arguments: [GROUP],
        examples: [['groups spaces 0196f3f0-...']],
        none: 'The group has a role in no space.',
        columns: { SPACE: 'space', NAME: 'name…', ROLE: 'role' },
      }),
      operationCommand('add-member', 'add a person or an agent to a group', 'groups.members.add', {
        arguments: [GROUP, PRINCIPAL],
        examples: [['groups add-member 0196f3f0-... 0196f3f1-...']],
        text: ({ principal }) => `${principal.name} is in the group.`,
      }),
      operationCommand('remove-member', 'remove a person or an agent from a group', 'groups.members.remove', {
        arguments: [GROUP, PRINCIPAL],
        examples: [['groups remove-member 0196f3f0-... 0196f3f1-...']],
        plain: true,
        text: (_, call) => `Removed ${call.arg('principal')} from the group.`,
      }),
    ],
  },
]

const SPACE_GROUP = { name: 'group', summary: 'id of a group' }

export const spaceGroupCommands: readonly CommandSpec[] = [
  operationCommand('groups', 'list the groups with a role in a space', 'spaces.groups.list', {
    arguments: [SPACE],
    examples: [['spaces groups docs']],
    none: 'No group has a role in the space.',
    columns: { ID: 'group.id', NAME: 'group.name…', ROLE: 'role', SINCE: 'createdAt' },
  }),
  operationCommand('add-group', 'give a group a role in a space, or change it', 'spaces.groups.set', {
    arguments: [
      SPACE,
      SPACE_GROUP,
      { name: 'role', summary: 'role of its members', choices: ['viewer', 'editor', 'admin'] },
    ],
    examples: [['spaces add-group docs 0196f3f0-... editor']],
    text: ({ group, role }, call) => `Members of ${group.name} are now ${role} of ${call.arg('space')}.`,
  }),
  operationCommand('remove-group', 'take the role of a group in a space away', 'spaces.groups.remove', {
    arguments: [SPACE, SPACE_GROUP],
    examples: [['spaces remove-group docs 0196f3f0-...']],
    plain: true,
    text: (_, call) => `Removed ${call.arg('group')} from ${call.arg('space')}.`,
  }),
]
