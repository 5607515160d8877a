import type { AnyJob, SentInvitation } from '@recto/client/types.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import { isCancelling } from '@recto/contract/job-status.ts'
import { given } from '@recto/lib/given.ts'
import type { CommandCall } from '../command.ts'
import { operationCommand } from '../operation-command.ts'
import { type CommandSpec, formerly } from '../spec.ts'
import { oneLine, timeText } from '../table.ts'

const PERSON = { name: 'id', summary: 'id of a person or agent, as listed by `recto principals list`' }
const INVITATION = { name: 'id', summary: 'id of the invitation, as listed by `recto invitations list`' }
const ORG_ROLE = { value: 'role', choices: ['member', 'admin'], summary: 'role in the organisation' } as const
const GUEST = 'with access to the spaces and folders that name them alone'
const IN_SPACE = { space: { value: 'slug', summary: 'those of a space that you administer', names: 'space' } } as const

/** How a new link is printed. */
const LINK = {
  secret: ({ url }: SentInvitation) => url,
  text: ({ invitation: { email, expiresAt }, mailed }: SentInvitation) =>
    `Invited ${email}. ${mailed ? 'It was sent to them' : 'Pass this link on'}; ` +
    `it works once, until ${timeText(expiresAt)}, and is not shown again:`,
}

const invitationCommands: readonly CommandSpec[] = [
  operationCommand<'invitations.list' | 'spaces.invitations.list'>(
    'list',
    'list open invitations',
    (call) => (call.option('space') === undefined ? 'invitations.list' : 'spaces.invitations.list'),
    {
      options: IN_SPACE,
      examples: [['invitations list']],
      none: 'No open invitations.',
      columns: {
        ID: 'id',
        'E-MAIL': 'email…',
        ROLE: ({ role, guest }) => (guest ? 'guest' : role),
        SPACES: [({ spaces }) => spaces.map(formatPlace).join(', ') || '-', true],
        'INVITED BY': 'invitedBy…',
        EXPIRES: ({ expired, expiresAt }) => (expired ? 'expired' : timeText(expiresAt)),
      },
    },
  ),
  operationCommand<'invitations.resend' | 'spaces.invitations.resend'>(
    'resend',
    'make and print a new link; the old one stops working',
    (call) => (call.option('space') === undefined ? 'invitations.resend' : 'spaces.invitations.resend'),
    { arguments: [INVITATION], options: IN_SPACE, examples: [['invitations resend 0196f3f0-...']], ...LINK },
  ),
  operationCommand<'invitations.revoke' | 'spaces.invitations.revoke'>(
    'revoke',
    'revoke an invitation',
    (call) => (call.option('space') === undefined ? 'invitations.revoke' : 'spaces.invitations.revoke'),
    {
      arguments: [INVITATION],
      options: IN_SPACE,
      examples: [['invitations revoke 0196f3f0-...']],
      plain: true,
      text: (_, call) => `Revoked ${call.arg('id')}.`,
    },
  ),
]

const principalCommands: readonly CommandSpec[] = [
  operationCommand('list', 'list people and agents', 'principals.list', {
    options: {
      name: { value: 'text', summary: 'part of the name' },
      kind: { value: 'kind', choices: ['human', 'agent'], summary: 'only people, or only agents' },
      role: ORG_ROLE,
      guest: { summary: 'only guests' },
    },
    examples: [['principals list --kind agent']],
    none: 'No matching people or agents.',
    columns: {
      ID: 'id',
      NAME: 'name…',
      'E-MAIL': [({ email }) => email ?? '-', true],
      KIND: 'kind',
      ROLE: ({ role, guest }) => (guest ? 'guest' : role),
      STATE: ({ disabled }) => (disabled ? 'disabled' : 'enabled'),
      SINCE: 'createdAt',
    },
  }),
  operationCommand('create', 'create a person or an agent without an invitation', 'principals.create', {
    arguments: [{ name: 'name', summary: 'their name' }],
    options: {
      kind: {
        value: 'kind',
        choices: ['human', 'agent'],
        summary: 'default human with --email or --guest, else agent',
      },
      email: { value: 'address', summary: 'e-mail address of a person, to sign in with' },
      role: ORG_ROLE,
      guest: { summary: `a person ${GUEST}` },
    },
    examples: [['principals create robot']],
    values: ({ kind, ...others }) => ({
      ...others,
      kind: kind ?? (others.email === undefined && !others.guest ? 'agent' : 'human'),
    }),
    text: ({ name, id }) => `Created ${name} (${id}).`,
  }),
  operationCommand('show', 'show a person or an agent', 'principals.get', {
    arguments: [PERSON],
    examples: [['principals show 0196f3f0-...']],
  }),
  operationCommand(
    'update',
    'change a name, an e-mail address or a role, or make a guest of a person',
    'principals.update',
    {
      arguments: [PERSON],
      options: {
        name: { value: 'text', summary: 'new name' },
        email: { value: 'address', summary: 'new e-mail address' },
        role: ORG_ROLE,
        guest: { value: 'answer', choices: ['yes', 'no'], summary: `whether it is a person ${GUEST}` },
      },
      examples: [['principals update 0196f3f0-... --role admin']],
      values: ({ guest, ...others }) => ({ ...others, guest: guest === undefined ? guest : guest === 'yes' }),
      text: ({ name, id }) => `Changed ${name} (${id}).`,
    },
  ),
  operationCommand('disable', 'stop all keys, sessions and links of a person or an agent', 'principals.update', {
    arguments: [PERSON],
    examples: [['principals disable 0196f3f0-...']],
    values: ({ id }) => ({ id, disabled: true }),
    plain: true,
    text: ({ name }) => `Disabled ${oneLine(name)}.`,
  }),
  operationCommand('enable', 'enable a disabled person or agent', 'principals.update', {
    arguments: [PERSON],
    examples: [['principals enable 0196f3f0-...']],
    values: ({ id }) => ({ id, disabled: false }),
    plain: true,
    text: ({ name }) => `Enabled ${oneLine(name)}.`,
  }),
  operationCommand(
    'merge',
    'merge an account into another one of the same person; it cannot be undone',
    'principals.merge',
    {
      about:
        'Roles in spaces, groups, identities at providers, favourites and the personal space move. ' +
        'Keys, apps, sessions, the password and the passkeys of the merged account end.',
      arguments: [PERSON, { name: 'into', summary: 'id or e-mail address of the account that remains' }],
      examples: [['principals merge 0196f3f0-... ada@example.org']],
      text: ({ name, id }, call) => `Merged ${call.arg('id')} into ${name} (${id}).`,
    },
  ),
  operationCommand(
    'password-link',
    'print a one-time link with which a person chooses a new password',
    'principals.createPasswordLink',
    {
      arguments: [PERSON],
      examples: [['principals password-link 0196f3f0-...']],
      secret: ({ url }) => url,
      text: ({ expiresAt }) => `It works once, until ${timeText(expiresAt)}; it is not shown again:`,
    },
  ),
]

const principals: CommandSpec = {
  name: 'principals',
  summary: 'manage people and agents; organisation admins only',
  commands: principalCommands,
}

/** Commands for people, agents, invitations and the audit log. */
export const peopleCommands: readonly CommandSpec[] = [
  operationCommand<'spaces.invitations.create' | 'invitations.create'>(
    'invite',
    'invite somebody by a one-time link',
    (call) => (isForOneSpace(call) ? 'spaces.invitations.create' : 'invitations.create'),
    {
      about:
        'Prints the link; it is not shown again. The service also sends it by e-mail if it is set up to. ' +
        'With one --space, admins of that space can invite; otherwise organisation admins.',
      arguments: [{ name: 'email', summary: 'their e-mail address' }],
      options: {
        space: { value: 'slug', many: true, summary: 'add them to this space', names: 'space' },
        'space-role': {
          value: 'role',
          choices: ['viewer', 'editor', 'admin'],
          summary: 'role in these spaces (default editor)',
        },
        group: { value: 'id', many: true, summary: 'add them to this group' },
        role: ORG_ROLE,
        guest: { summary: `as a guest, ${GUEST}` },
        folder: { value: 'path', summary: 'give a guest this folder of the space alone' },
      },
      examples: [
        ['invite gil@example.org --space docs'],
        ['invite gus@example.org --space docs --guest --folder clients/acme', 'a guest in one folder'],
      ],
      values: ({ email, spaceRole: role = 'editor', group, role: orgRole, guest, folder }, call) => {
        const spaces = call.list('space')
        if (isForOneSpace(call)) return { space: spaces[0], email, role, guest, folder }
        const places = spaces.map((space) => given({ space, role, folder }))
        return { email, role: orgRole, guest, spaces: places, groups: group }
      },
      ...LINK,
    },
  ),
  { name: 'invitations', summary: 'list, resend and revoke invitations', commands: invitationCommands },
  operationCommand('audit', 'show the audit log; organisation admins only', 'audit.list', {
    options: {
      actor: { value: 'id', summary: 'what this person or agent did' },
      target: { value: 'id', summary: 'what was done to this id; of a space its slug' },
      action: { value: 'name', summary: 'limit to an action, e.g. api_key.revoked' },
      since: { value: 'time', summary: 'from this instant (RFC 3339)' },
      until: { value: 'time', summary: 'before this instant' },
    },
    examples: [['audit --action authentication.failed --limit 20', 'newest first']],
    none: 'No matching audit events.',
    columns: {
      CREATED: 'createdAt',
      ACTION: 'action',
      BY: 'actor…',
      TARGET: [({ target }) => `${target.type} ${target.name}`, true],
      FROM: 'address',
    },
  }),
  {
    name: 'jobs',
    summary: 'list and cancel imports, exports and moves of everybody; organisation admins only',
    commands: [
      operationCommand('list', 'list jobs, the latest first', 'jobs.list', {
        options: { running: { summary: 'only those that run' } },
        examples: [['jobs list --running']],
        none: 'No jobs.',
        columns: {
          ID: 'id',
          KIND: 'kind',
          SPACE: 'space…',
          BY: 'principal…',
          STATUS: formatStatus,
          DONE: ({ done, total }) => (total === null ? `${done}` : `${done} of ${total}`),
          STARTED: 'startedAt',
        },
      }),
      operationCommand('cancel', 'let a job end with its next batch', 'jobs.cancel', {
        arguments: [{ name: 'id', summary: 'id of the job' }],
        examples: [['jobs cancel 0196f3f0-...']],
        text(job) {
          const note = job.status === 'running' ? ': it ends within seconds' : ''
          return `The ${job.kind} of ${actorText(job.principal)} in ${job.space} is ${formatStatus(job)}${note}.`
        },
      }),
    ],
  },
  principals,
  formerly('people', principals),
]

/** Admins of a space can invite into that one only. */
function isForOneSpace(call: CommandCall): boolean {
  return call.list('space').length === 1 && call.list('group').length === 0 && call.option('role') === undefined
}

function formatPlace({ space, role, folder }: SentInvitation['invitation']['spaces'][number]): string {
  return `${space}${folder === undefined ? '' : `/${folder}`} (${role})`
}

function formatStatus(job: AnyJob): string {
  return isCancelling(job) ? 'cancelling' : job.status
}
