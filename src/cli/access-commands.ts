import { type CommandSpec, JSON_OPTION, LIST_OPTIONS, SPACE } from './spec.ts'

const keys = () => import('./keys.ts')
const spaces = () => import('./spaces.ts')
const VISIBILITY = {
  visibility: {
    value: 'who',
    choices: ['org', 'private'],
    summary: 'who reads it: everybody, or its members',
  },
  'default-role': {
    value: 'role',
    choices: ['viewer', 'editor'],
    summary: 'what everybody may do in an `org` space',
  },
} as const
const PRINCIPAL = { name: 'principal', summary: 'id of a person or an agent' }

/** Keys, spaces and their members. */
export const accessCommands: readonly CommandSpec[] = [
  {
    name: 'keys',
    summary: 'make, list and revoke API keys',
    commands: [
      {
        name: 'list',
        summary: 'list your keys, or those of others',
        connects: true,
        options: {
          everyone: { summary: 'the keys of everybody; for organisation admins' },
          principal: { value: 'id', summary: 'the keys of one; for organisation admins' },
          revoked: { summary: 'revoked ones, too' },
          ...LIST_OPTIONS,
        },
        examples: [['keys list', '']],
        run: async (call) => (await keys()).listKeysCommand(call),
      },
      {
        name: 'create',
        summary: 'make a key, and print it this once',
        connects: true,
        arguments: [{ name: 'name', summary: 'what it is for' }],
        options: {
          scope: {
            value: 'scope',
            choices: ['read', 'write', 'admin'],
            summary: 'what it may do (read unless told); each includes the ones before it',
          },
          space: { value: 'slug', many: true, summary: 'only this space', names: 'space' },
          expires: { value: 'time', summary: 'until when, such as 2030-01-31T12:00:00Z' },
          principal: { value: 'id', summary: 'for somebody else; for organisation admins' },
          ...JSON_OPTION,
        },
        examples: [
          ['keys create laptop --scope write --space docs', 'for one space'],
          ['keys create robot --principal 0196f3f0-... --scope write', 'for an agent'],
        ],
        run: async (call) => (await keys()).createKeyCommand(call),
      },
      {
        name: 'revoke',
        summary: 'end a key',
        connects: true,
        arguments: [{ name: 'id', summary: 'id of the key, as `recto keys list` tells it' }],
        options: { any: { summary: 'the key of somebody else; for organisation admins' } },
        examples: [['keys revoke 0196f3f0-...', '']],
        run: async (call) => (await keys()).revokeKeyCommand(call),
      },
      {
        name: 'generate',
        summary: 'print a fresh key for a first start',
        about:
          'A service that starts on an empty database takes it as the key of its first admin when it is given in SVC_ADMIN_API_KEY. No service is asked or changed.',
        examples: [['keys generate', '']],
        run: async (call) => (await keys()).generateKeyCommand(call),
      },
    ],
  },
  {
    name: 'spaces',
    summary: 'make, list and change spaces and their members',
    commands: [
      {
        name: 'list',
        summary: 'list the spaces that you can read',
        connects: true,
        options: LIST_OPTIONS,
        examples: [['spaces list', '']],
        run: async (call) => (await spaces()).listSpacesCommand(call),
      },
      {
        name: 'create',
        summary: 'make a space',
        connects: true,
        arguments: [{ name: 'slug', summary: 'lower-case letters, digits and hyphens' }],
        options: {
          name: { value: 'text', summary: 'what it is called' },
          description: { value: 'text', summary: 'what it is for' },
          ...VISIBILITY,
          template: {
            value: 'source/id',
            summary: 'with the pages of a space template, such as builtin/team-handbook',
          },
          ...JSON_OPTION,
        },
        examples: [
          ['spaces create docs --name Documentation --default-role editor', 'everybody writes'],
          ['spaces create handbook --template builtin/team-handbook', 'with pages'],
        ],
        run: async (call) => (await spaces()).createSpaceCommand(call),
      },
      {
        name: 'show',
        summary: 'tell about a space',
        connects: true,
        arguments: [SPACE],
        options: JSON_OPTION,
        examples: [['spaces show docs', '']],
        run: async (call) => (await spaces()).showSpaceCommand(call),
      },
      {
        name: 'update',
        summary: 'change a space',
        connects: true,
        arguments: [SPACE],
        options: {
          slug: { value: 'slug', summary: 'a new slug; the old one leads on' },
          name: { value: 'text', summary: 'what it is called' },
          description: { value: 'text', summary: 'what it is for' },
          ...VISIBILITY,
          ...JSON_OPTION,
        },
        examples: [['spaces update docs --visibility private', '']],
        run: async (call) => (await spaces()).updateSpaceCommand(call),
      },
      {
        name: 'delete',
        summary: 'remove an empty space',
        connects: true,
        arguments: [SPACE],
        options: { force: { summary: 'with its pages; for organisation admins' } },
        examples: [['spaces delete old --force', '']],
        run: async (call) => (await spaces()).deleteSpaceCommand(call),
      },
      {
        name: 'members',
        summary: 'list the members of a space',
        connects: true,
        arguments: [SPACE],
        options: LIST_OPTIONS,
        examples: [['spaces members docs', '']],
        run: async (call) => (await spaces()).membersCommand(call),
      },
      {
        name: 'grant',
        summary: 'give somebody a role in a space',
        connects: true,
        arguments: [
          SPACE,
          PRINCIPAL,
          { name: 'role', summary: 'what they may do', choices: ['viewer', 'editor', 'admin'] },
        ],
        options: JSON_OPTION,
        examples: [['spaces grant docs 0196f3f0-... editor', '']],
        run: async (call) => (await spaces()).grantCommand(call),
      },
      {
        name: 'ungrant',
        summary: 'take somebody out of a space',
        connects: true,
        arguments: [SPACE, PRINCIPAL],
        examples: [['spaces ungrant docs 0196f3f0-...', '']],
        run: async (call) => (await spaces()).ungrantCommand(call),
      },
    ],
  },
  {
    name: 'whoami',
    summary: 'tell who the key speaks for, and what it may do',
    connects: true,
    options: JSON_OPTION,
    examples: [['whoami', '']],
    run: async (call) => (await keys()).whoamiCommand(call),
  },
]
