import { type CommandSpec, formerly, JSON_OPTION, LIST_OPTIONS } from '../spec.ts'

const people = () => import('./people.ts')
const invitations = () => import('./invitations.ts')

const PERSON = { name: 'id', summary: 'id of a person or agent, as listed by `recto principals list`' }
const INVITATION = { name: 'id', summary: 'id of the invitation, as listed by `recto invitations list`' }
const ORG_ROLE = { value: 'role', choices: ['member', 'admin'], summary: 'role in the organisation' } as const
const IN_SPACE = {
  space: { value: 'slug', summary: 'those of a space that you administer', names: 'space' },
} as const

const commands: readonly CommandSpec[] = [
  {
    name: 'invite',
    summary: 'invite somebody by a one-time link',
    about:
      'Prints the link; it is not shown again. The service also sends it by e-mail if it is set up to. With one --space, admins of that space can invite; otherwise organisation admins.',
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
      ...JSON_OPTION,
    },
    examples: [['invite gil@example.org --space docs', '']],
    run: async (call) => (await invitations()).inviteCommand(call),
  },
  {
    name: 'invitations',
    summary: 'list, resend and revoke invitations',
    commands: [
      {
        name: 'list',
        summary: 'list open invitations',
        options: { ...IN_SPACE, ...LIST_OPTIONS },
        examples: [['invitations list', '']],
        run: async (call) => (await invitations()).listInvitationsCommand(call),
      },
      {
        name: 'resend',
        summary: 'make and print a new link; the old one stops working',
        arguments: [INVITATION],
        options: { ...IN_SPACE, ...JSON_OPTION },
        examples: [['invitations resend 0196f3f0-...', '']],
        run: async (call) => (await invitations()).resendInvitationCommand(call),
      },
      {
        name: 'revoke',
        summary: 'revoke an invitation',
        arguments: [INVITATION],
        options: IN_SPACE,
        examples: [['invitations revoke 0196f3f0-...', '']],
        run: async (call) => (await invitations()).revokeInvitationCommand(call),
      },
    ],
  },
  {
    name: 'audit',
    summary: 'show the audit log; organisation admins only',
    options: {
      actor: { value: 'id', summary: 'what this person or agent did' },
      target: { value: 'id', summary: 'what was done to this id; of a space its slug' },
      action: { value: 'name', summary: 'limit to an action, e.g. api_key.revoked' },
      since: { value: 'time', summary: 'from this instant (RFC 3339)' },
      until: { value: 'time', summary: 'before this instant' },
      ...LIST_OPTIONS,
    },
    examples: [['audit --action authentication.failed --limit 20', 'newest first']],
    run: async (call) => (await import('./audit.ts')).auditCommand(call),
  },
  {
    name: 'jobs',
    summary: 'list and cancel imports, exports and moves of everybody; organisation admins only',
    commands: [
      {
        name: 'list',
        summary: 'list jobs, the latest first',
        options: { running: { summary: 'only those that run' }, ...LIST_OPTIONS },
        examples: [['jobs list --running', '']],
        run: async (call) => (await import('./jobs.ts')).listJobsCommand(call),
      },
      {
        name: 'cancel',
        summary: 'let a job end with its next batch',
        arguments: [{ name: 'id', summary: 'id of the job' }],
        options: JSON_OPTION,
        examples: [['jobs cancel 0196f3f0-...', '']],
        run: async (call) => (await import('./jobs.ts')).cancelJobCommand(call),
      },
    ],
  },
  {
    name: 'principals',
    summary: 'manage people and agents; organisation admins only',
    commands: [
      {
        name: 'list',
        summary: 'list people and agents',
        options: {
          name: { value: 'text', summary: 'part of the name' },
          kind: { value: 'kind', choices: ['human', 'agent'], summary: 'only people, or only agents' },
          role: ORG_ROLE,
          ...LIST_OPTIONS,
        },
        examples: [['principals list --kind agent', '']],
        run: async (call) => (await people()).listPeopleCommand(call),
      },
      {
        name: 'create',
        summary: 'create a person or an agent without an invitation',
        arguments: [{ name: 'name', summary: 'their name' }],
        options: {
          kind: {
            value: 'kind',
            choices: ['human', 'agent'],
            summary: 'default human with --email, else agent',
          },
          email: { value: 'address', summary: 'e-mail address of a person, to sign in with' },
          role: ORG_ROLE,
          ...JSON_OPTION,
        },
        examples: [['principals create robot', '']],
        run: async (call) => (await people()).createPersonCommand(call),
      },
      {
        name: 'show',
        summary: 'show a person or an agent',
        arguments: [PERSON],
        options: JSON_OPTION,
        examples: [['principals show 0196f3f0-...', '']],
        run: async (call) => (await people()).showPersonCommand(call),
      },
      {
        name: 'update',
        summary: 'change a name, an e-mail address or a role',
        arguments: [PERSON],
        options: {
          name: { value: 'text', summary: 'new name' },
          email: { value: 'address', summary: 'new e-mail address' },
          role: ORG_ROLE,
          ...JSON_OPTION,
        },
        examples: [['principals update 0196f3f0-... --role admin', '']],
        run: async (call) => (await people()).updatePersonCommand(call),
      },
      {
        name: 'disable',
        summary: 'stop all keys, sessions and links of a person or an agent',
        arguments: [PERSON],
        examples: [['principals disable 0196f3f0-...', '']],
        run: async (call) => (await people()).setDisabledCommand(call, true),
      },
      {
        name: 'enable',
        summary: 'enable a disabled person or agent',
        arguments: [PERSON],
        examples: [['principals enable 0196f3f0-...', '']],
        run: async (call) => (await people()).setDisabledCommand(call, false),
      },
      {
        name: 'merge',
        summary: 'merge an account into another one of the same person; it cannot be undone',
        about:
          'Roles in spaces, groups, identities at providers, favourites and the personal space move. Keys, apps, sessions, the password and the passkeys of the merged account end.',
        arguments: [PERSON, { name: 'into', summary: 'id or e-mail address of the account that remains' }],
        options: JSON_OPTION,
        examples: [['principals merge 0196f3f0-... ada@example.org', '']],
        run: async (call) => (await people()).mergeCommand(call),
      },
      {
        name: 'password-link',
        summary: 'print a one-time link with which a person chooses a new password',
        arguments: [PERSON],
        options: JSON_OPTION,
        examples: [['principals password-link 0196f3f0-...', '']],
        run: async (call) => (await people()).passwordLinkCommand(call),
      },
    ],
  },
]

/** Commands for people, agents, invitations and the audit log. */
export const peopleCommands: readonly CommandSpec[] = [
  ...commands,
  ...commands.filter(({ name }) => name === 'principals').map((spec) => formerly('people', spec)),
]
