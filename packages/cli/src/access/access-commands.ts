import { UsageError } from '../command.ts'
import { operationCommand } from '../operation-command.ts'
import type { Values } from '../operation-row.ts'
import { type CommandSpec, formerly, SPACE } from '../spec.ts'
import { spaceGroupCommands } from './group-commands.ts'
import { ruleCommands } from './rule-commands.ts'

const YES_OR_NO = { value: 'answer', choices: ['yes', 'no'] } as const
const WHO = { value: 'who', choices: ['readers', 'editors', 'off'] } as const
const VISIBILITY = {
  visibility: {
    value: 'who',
    choices: ['org', 'private', 'public'],
    summary: 'who can read it: everyone, only its members, or also who has no account',
  },
  'public-metadata': {
    ...YES_OR_NO,
    summary: 'whether who has no account finds pages of a public space by their metadata',
  },
  'default-role': { value: 'role', choices: ['viewer', 'editor'], summary: 'role of everyone in an `org` space' },
  language: { value: 'code', summary: 'language of its pages for search, e.g. `de`; `none` for code' },
} as const
const candidates = () => import('./candidates.ts')
const PRINCIPAL = { name: 'principal', summary: 'name, e-mail address or id of a person or agent' }

/** `recto spaces list`, and `recto ls` without arguments. */
export const listSpaces = operationCommand('list', 'list the spaces that you can read', 'spaces.list', {
  examples: [['spaces list']],
  none: 'No spaces that this key can read.',
  columns: {
    SPACE: 'slug',
    NAME: 'name…',
    KIND: ({ kind, visibility }) => (kind === 'personal' ? kind : visibility),
    'YOUR ROLE': 'role',
    DESCRIPTION: 'description…',
  },
})

const memberCommands: readonly CommandSpec[] = [
  operationCommand('add-member', 'add a member to a space, or change their role', 'spaces.members.set', {
    arguments: [SPACE, PRINCIPAL, { name: 'role', summary: 'their role', choices: ['viewer', 'editor', 'admin'] }],
    examples: [
      ['spaces add-member docs "Ada Lovelace" editor', 'names that several have are listed with their ids'],
      ['spaces add-member docs ada@example.org viewer'],
    ],
    values: async (values, call) => ({
      ...values,
      principal: await (await candidates()).findCandidate(call, () => true),
    }),
    text: ({ principal, role }, call) => `${principal.name} is now ${role} of ${call.arg('space')}.`,
  }),
  operationCommand('remove-member', 'remove a member from a space', 'spaces.members.remove', {
    arguments: [SPACE, PRINCIPAL],
    examples: [['spaces remove-member docs "Ada Lovelace"']],
    values: async (values, call) => ({
      ...values,
      principal: await (await candidates()).findCandidate(call, ({ role }) => role !== null),
    }),
    plain: true,
    text: (_, call) => `Removed ${call.arg('principal')} from ${call.arg('space')}.`,
  }),
]

/** Commands for keys, spaces and their members. */
export const accessCommands: readonly CommandSpec[] = [
  {
    name: 'keys',
    summary: 'create, list and revoke API keys',
    commands: [
      operationCommand(
        'list',
        'list your API keys, or those of others',
        (call) => (call.flag('everyone') || call.option('principal') !== undefined ? 'keys.list' : 'me.keys.list'),
        {
          options: {
            everyone: { summary: 'list the keys of everyone; organisation admins only' },
            principal: { value: 'id', summary: 'list the keys of this principal; organisation admins only' },
            revoked: { summary: 'include revoked keys' },
          },
          examples: [['keys list']],
          values: ({ principal, revoked }) => ({ principal, includeRevoked: revoked }),
          none: 'No keys.',
          columns: (call) => ({
            ID: 'id',
            NAME: 'name…',
            KEY: ({ hint }) => `${hint}…`,
            PRINCIPAL: 'principal.name…',
            SCOPES: ({ scopes }) => scopes.join(', '),
            SPACES: [({ spaces }) => spaces?.join(', ') ?? 'all', true],
            'LAST USED': 'lastUsedAt',
            EXPIRES: 'expiresAt',
            ...(call.flag('revoked') && { REVOKED: 'revokedAt' }),
          }),
        },
      ),
      operationCommand(
        'create',
        'create an API key and print it; it is not shown again',
        (call) => (call.option('principal') === undefined ? 'me.keys.create' : 'keys.create'),
        {
          arguments: [{ name: 'name', summary: 'a name for the key, such as where it is used' }],
          options: {
            scope: {
              value: 'scope',
              choices: ['read', 'propose', 'write', 'admin'],
              summary: 'permission (default read); each includes the ones before it',
            },
            space: { value: 'slug', many: true, summary: 'limit the key to this space', names: 'space' },
            expires: { value: 'time', summary: 'expiry time, e.g. 2030-01-31T12:00:00Z' },
            principal: { value: 'id', summary: 'create it for this principal; organisation admins only' },
          },
          examples: [
            ['keys create laptop --scope write --space docs', 'limited to one space'],
            ['keys create robot --principal 0196f3f0-... --scope write', 'for an agent'],
          ],
          values: ({ name, scope = 'read', space, expires, principal }) => ({
            name,
            scopes: [scope],
            spaces: space,
            expiresAt: expires,
            principal,
          }),
          secret: ({ secret }) => secret,
          text: ({ apiKey: { id, name, principal } }) =>
            `Created the key ${name} (${id}) of ${principal.name}. Copy it now; it is not shown again:`,
        },
      ),
      operationCommand('revoke', 'revoke a key', (call) => (call.flag('any') ? 'keys.revoke' : 'me.keys.revoke'), {
        arguments: [{ name: 'id', summary: 'id of the key, as listed by `recto keys list`' }],
        options: { any: { summary: 'revoke a key of someone else; organisation admins only' } },
        examples: [['keys revoke 0196f3f0-...']],
        values: ({ id }) => ({ id }),
        plain: true,
        text: (_, call) => `Revoked ${call.arg('id')}.`,
      }),
      {
        name: 'generate',
        summary: 'print a new admin key for the first start of a service',
        about:
          'Pass it to a new service in SVC_ADMIN_API_KEY: it becomes the key of the first admin. ' +
          'This command sends no request.',
        examples: [['keys generate', '']],
        local: true,
        run: async ({ terminal }) => {
          const { newToken } = await import('@recto/lib/encoding/token.ts')
          terminal.out(`${newToken('svc_')}\n`)
        },
      },
    ],
  },
  {
    name: 'spaces',
    summary: 'manage spaces and their members',
    commands: [
      listSpaces,
      operationCommand(
        'create',
        'create a space',
        (call) => (call.option('template') === undefined ? 'spaces.create' : 'spaceTemplates.createSpace'),
        {
          arguments: [{ name: 'slug', summary: 'lower-case letters, digits and hyphens' }],
          options: {
            name: { value: 'text', summary: 'display name' },
            description: { value: 'text', summary: 'description' },
            ...VISIBILITY,
            template: { value: 'source/id', summary: 'copy the pages of a space template, e.g. builtin/team-handbook' },
          },
          examples: [
            ['spaces create docs --name Documentation --default-role editor', 'everyone can edit'],
            ['spaces create handbook --template builtin/team-handbook', 'from a template'],
          ],
          values: toNewSpace,
          text: (made) =>
            'slug' in made
              ? `Created ${made.slug} (${made.name}).`
              : `Created ${made.space.slug} with ${made.pagesCreated} pages of ${made.template.title}.`,
        },
      ),
      operationCommand('show', 'show a space', 'spaces.get', { arguments: [SPACE], examples: [['spaces show docs']] }),
      operationCommand('update', 'change a space', 'spaces.update', {
        arguments: [SPACE],
        options: {
          slug: { value: 'slug', summary: 'new slug; the old one redirects' },
          name: { value: 'text', summary: 'display name' },
          description: { value: 'text', summary: 'description' },
          ...VISIBILITY,
          shares: { ...YES_OR_NO, summary: 'whether editors may make share links, and those work' },
          'access-requests': { ...YES_OR_NO, summary: 'whether people without access may ask for it' },
          proposals: { ...WHO, summary: 'who may open change requests' },
          comments: { ...WHO, summary: 'who may comment' },
        },
        examples: [['spaces update docs --visibility private'], ['spaces update docs --shares no']],
        values: toSettings,
        text: ({ slug, name }) => `Changed ${slug} (${name}).`,
      }),
      operationCommand('delete', 'delete an empty space', 'spaces.delete', {
        arguments: [SPACE],
        options: { force: { summary: 'delete it with its pages; organisation admins only' } },
        examples: [['spaces delete old --force']],
        plain: true,
        text: (_, call) => `Deleted ${call.arg('space')}.`,
      }),
      operationCommand('members', 'list the members of a space', 'spaces.members.list', {
        arguments: [SPACE],
        examples: [['spaces members docs']],
        none: 'The space has no members.',
        columns: {
          ID: 'principal.id',
          NAME: 'principal.name…',
          KIND: 'principal.kind',
          ROLE: 'role',
          SINCE: 'createdAt',
        },
      }),
      ...memberCommands,
      ...spaceGroupCommands,
      ...ruleCommands,
      ...memberCommands.map((spec) => formerly(spec.name === 'add-member' ? 'grant' : 'ungrant', spec)),
    ],
  },
  operationCommand('whoami', 'show the authenticated principal and the permissions of the key', 'me.get', {
    examples: [['whoami']],
  }),
]

/** What creates a space: of a template, its source and id are part of the URL, and a role of everyone is not. */
function toNewSpace({ template, ...options }: Values): Values {
  const input = toSettings(options)
  if (template === undefined) return input
  const [source = '', id, ...rest] = String(template).split('/')
  if (!['builtin', 'org', 'remote'].includes(source) || !id || rest.length > 0) {
    throw new UsageError('--template must be builtin/<id>, org/<id> or remote/<id>')
  }
  if (input.defaultRole !== undefined) throw new UsageError('--default-role cannot be combined with --template')
  return { ...input, source, id }
}

/** The settings of a space, with answers as booleans. */
function toSettings({ publicMetadata, shares, accessRequests, ...others }: Values): Values {
  const toBoolean = (answer: unknown) => (answer === undefined ? answer : answer === 'yes')
  return {
    ...others,
    publicMetadata: toBoolean(publicMetadata),
    shares: toBoolean(shares),
    accessRequests: toBoolean(accessRequests),
  }
}
