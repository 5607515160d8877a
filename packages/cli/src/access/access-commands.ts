import { type CommandSpec, formerly, JSON_OPTION, LIST_OPTIONS, SPACE } from '../spec.ts'

const groups = () => import('./groups.ts')
const keys = () => import('./keys.ts')
const spaces = () => import('./spaces.ts')
const VISIBILITY = {
  visibility: {
    value: 'who',
    choices: ['org', 'private'],
    summary: 'who can read it: everyone, or only its members',
  },
  'default-role': {
    value: 'role',
    choices: ['viewer', 'editor'],
    summary: 'role of everyone in an `org` space',
  },
  language: {
    value: 'code',
    summary: 'language of its pages for search, e.g. `de`; `none` for code',
  },
} as const
const GROUP = { name: 'group', summary: 'id of a group' }
const PRINCIPAL = { name: 'principal', summary: 'name, e-mail address or id of a person or agent' }

const memberCommands: readonly CommandSpec[] = [
  {
    name: 'add-member',
    summary: 'add a member to a space, or change their role',
    arguments: [
      SPACE,
      PRINCIPAL,
      { name: 'role', summary: 'their role', choices: ['viewer', 'editor', 'admin'] },
    ],
    options: JSON_OPTION,
    examples: [
      ['spaces add-member docs "Ada Lovelace" editor', 'names that several have are listed with their ids'],
      ['spaces add-member docs ada@example.org viewer', ''],
    ],
    run: async (call) => (await spaces()).addMemberCommand(call),
  },
  {
    name: 'remove-member',
    summary: 'remove a member from a space',
    arguments: [SPACE, PRINCIPAL],
    examples: [['spaces remove-member docs "Ada Lovelace"', '']],
    run: async (call) => (await spaces()).removeMemberCommand(call),
  },
]

const groupCommands: readonly CommandSpec[] = [
  {
    name: 'groups',
    summary: 'list the groups with a role in a space',
    arguments: [SPACE],
    options: LIST_OPTIONS,
    examples: [['spaces groups docs', '']],
    run: async (call) => (await groups()).spaceGroupsCommand(call),
  },
  {
    name: 'add-group',
    summary: 'give a group a role in a space, or change it',
    arguments: [
      SPACE,
      GROUP,
      { name: 'role', summary: 'role of its members', choices: ['viewer', 'editor', 'admin'] },
    ],
    options: JSON_OPTION,
    examples: [['spaces add-group docs 0196f3f0-... editor', '']],
    run: async (call) => (await groups()).addSpaceGroupCommand(call),
  },
  {
    name: 'remove-group',
    summary: 'take the role of a group in a space away',
    arguments: [SPACE, GROUP],
    examples: [['spaces remove-group docs 0196f3f0-...', '']],
    run: async (call) => (await groups()).removeSpaceGroupCommand(call),
  },
]

/** Commands for keys, spaces and their members. */
export const accessCommands: readonly CommandSpec[] = [
  {
    name: 'keys',
    summary: 'create, list and revoke API keys',
    commands: [
      {
        name: 'list',
        summary: 'list your API keys, or those of others',
        options: {
          everyone: { summary: 'list the keys of everyone; organisation admins only' },
          principal: { value: 'id', summary: 'list the keys of this principal; organisation admins only' },
          revoked: { summary: 'include revoked keys' },
          ...LIST_OPTIONS,
        },
        examples: [['keys list', '']],
        run: async (call) => (await keys()).listKeysCommand(call),
      },
      {
        name: 'create',
        summary: 'create an API key and print it; it is not shown again',
        arguments: [{ name: 'name', summary: 'a name for the key, such as where it is used' }],
        options: {
          scope: {
            value: 'scope',
            choices: ['read', 'write', 'admin'],
            summary: 'permission (default read); each includes the ones before it',
          },
          space: { value: 'slug', many: true, summary: 'limit the key to this space', names: 'space' },
          expires: { value: 'time', summary: 'expiry time, e.g. 2030-01-31T12:00:00Z' },
          principal: { value: 'id', summary: 'create it for this principal; organisation admins only' },
          ...JSON_OPTION,
        },
        examples: [
          ['keys create laptop --scope write --space docs', 'limited to one space'],
          ['keys create robot --principal 0196f3f0-... --scope write', 'for an agent'],
        ],
        run: async (call) => (await keys()).createKeyCommand(call),
      },
      {
        name: 'revoke',
        summary: 'revoke a key',
        arguments: [{ name: 'id', summary: 'id of the key, as listed by `recto keys list`' }],
        options: { any: { summary: 'revoke a key of someone else; organisation admins only' } },
        examples: [['keys revoke 0196f3f0-...', '']],
        run: async (call) => (await keys()).revokeKeyCommand(call),
      },
      {
        name: 'generate',
        summary: 'print a new admin key for the first start of a service',
        about:
          'Pass it to a new service in SVC_ADMIN_API_KEY: it becomes the key of the first admin. This command sends no request.',
        examples: [['keys generate', '']],
        local: true,
        run: async (call) => (await keys()).generateKeyCommand(call),
      },
    ],
  },
  {
    name: 'spaces',
    summary: 'manage spaces and their members',
    commands: [
      {
        name: 'list',
        summary: 'list the spaces that you can read',
        options: LIST_OPTIONS,
        examples: [['spaces list', '']],
        run: async (call) => (await spaces()).listSpacesCommand(call),
      },
      {
        name: 'create',
        summary: 'create a space',
        arguments: [{ name: 'slug', summary: 'lower-case letters, digits and hyphens' }],
        options: {
          name: { value: 'text', summary: 'display name' },
          description: { value: 'text', summary: 'description' },
          ...VISIBILITY,
          template: {
            value: 'source/id',
            summary: 'copy the pages of a space template, e.g. builtin/team-handbook',
          },
          ...JSON_OPTION,
        },
        examples: [
          ['spaces create docs --name Documentation --default-role editor', 'everyone can edit'],
          ['spaces create handbook --template builtin/team-handbook', 'from a template'],
        ],
        run: async (call) => (await spaces()).createSpaceCommand(call),
      },
      {
        name: 'show',
        summary: 'show a space',
        arguments: [SPACE],
        options: JSON_OPTION,
        examples: [['spaces show docs', '']],
        run: async (call) => (await spaces()).showSpaceCommand(call),
      },
      {
        name: 'update',
        summary: 'change a space',
        arguments: [SPACE],
        options: {
          slug: { value: 'slug', summary: 'new slug; the old one redirects' },
          name: { value: 'text', summary: 'display name' },
          description: { value: 'text', summary: 'description' },
          ...VISIBILITY,
          ...JSON_OPTION,
        },
        examples: [['spaces update docs --visibility private', '']],
        run: async (call) => (await spaces()).updateSpaceCommand(call),
      },
      {
        name: 'delete',
        summary: 'delete an empty space',
        arguments: [SPACE],
        options: { force: { summary: 'delete it with its pages; organisation admins only' } },
        examples: [['spaces delete old --force', '']],
        run: async (call) => (await spaces()).deleteSpaceCommand(call),
      },
      {
        name: 'members',
        summary: 'list the members of a space',
        arguments: [SPACE],
        options: LIST_OPTIONS,
        examples: [['spaces members docs', '']],
        run: async (call) => (await spaces()).membersCommand(call),
      },
      ...memberCommands,
      ...groupCommands,
      ...memberCommands.map((spec) => formerly(spec.name === 'add-member' ? 'grant' : 'ungrant', spec)),
    ],
  },
  {
    name: 'whoami',
    summary: 'show the authenticated principal and the permissions of the key',
    options: JSON_OPTION,
    examples: [['whoami', '']],
    run: async (call) => (await keys()).whoamiCommand(call),
  },
]
