import { type CommandSpec, JSON_OPTION, LIST_OPTIONS } from '../spec.ts'

const groups = () => import('./groups.ts')

const GROUP = { name: 'group', summary: 'id of a group, as listed by `recto groups list`' }
const PRINCIPAL = {
  name: 'principal',
  summary: 'id of a person or agent, as listed by `recto principals list`',
}
const DESCRIPTION = { description: { value: 'text', summary: 'description' } } as const

/** Commands for groups. */
export const groupCommands: readonly CommandSpec[] = [
  {
    name: 'groups',
    summary: 'manage groups of people and agents; organisation admins only',
    commands: [
      {
        name: 'list',
        summary: 'list groups',
        options: {
          name: { value: 'text', summary: 'part of the name' },
          member: { value: 'id', summary: 'only the groups of this person or agent' },
          ...LIST_OPTIONS,
        },
        examples: [['groups list', '']],
        run: async (call) => (await groups()).listGroupsCommand(call),
      },
      {
        name: 'create',
        summary: 'create a group',
        arguments: [{ name: 'name', summary: 'its name' }],
        options: { ...DESCRIPTION, ...JSON_OPTION },
        examples: [['groups create Writers', '']],
        run: async (call) => (await groups()).createGroupCommand(call),
      },
      {
        name: 'show',
        summary: 'show a group',
        arguments: [GROUP],
        options: JSON_OPTION,
        examples: [['groups show 0196f3f0-...', '']],
        run: async (call) => (await groups()).showGroupCommand(call),
      },
      {
        name: 'update',
        summary: 'change the name or description of a group',
        arguments: [GROUP],
        options: { name: { value: 'text', summary: 'new name' }, ...DESCRIPTION, ...JSON_OPTION },
        examples: [['groups update 0196f3f0-... --name Authors', '']],
        run: async (call) => (await groups()).updateGroupCommand(call),
      },
      {
        name: 'delete',
        summary: 'delete a group; its members lose the roles that it gave them',
        arguments: [GROUP],
        examples: [['groups delete 0196f3f0-...', '']],
        run: async (call) => (await groups()).deleteGroupCommand(call),
      },
      {
        name: 'members',
        summary: 'list the members of a group',
        arguments: [GROUP],
        options: LIST_OPTIONS,
        examples: [['groups members 0196f3f0-...', '']],
        run: async (call) => (await groups()).groupMembersCommand(call),
      },
      {
        name: 'spaces',
        summary: 'list the spaces where a group has a role',
        arguments: [GROUP],
        options: LIST_OPTIONS,
        examples: [['groups spaces 0196f3f0-...', '']],
        run: async (call) => (await groups()).groupSpacesCommand(call),
      },
      {
        name: 'add-member',
        summary: 'add a person or an agent to a group',
        arguments: [GROUP, PRINCIPAL],
        options: JSON_OPTION,
        examples: [['groups add-member 0196f3f0-... 0196f3f1-...', '']],
        run: async (call) => (await groups()).addGroupMemberCommand(call),
      },
      {
        name: 'remove-member',
        summary: 'remove a person or an agent from a group',
        arguments: [GROUP, PRINCIPAL],
        examples: [['groups remove-member 0196f3f0-... 0196f3f1-...', '']],
        run: async (call) => (await groups()).removeGroupMemberCommand(call),
      },
    ],
  },
]
