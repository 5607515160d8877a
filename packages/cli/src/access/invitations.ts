import type { Client } from '../../../client/src/client.ts'
import type { Invitation, SentInvitation, SpaceRole } from '../../../client/src/types.ts'
import type { CommandCall } from '../call.ts'
import { openClient } from '../connection.ts'
import { printList, printSecret } from '../print.ts'
import { timeText } from '../table.ts'

/** `recto invite`: prints only the link on standard output, for scripts. */
export async function inviteCommand(call: CommandCall): Promise<void> {
  const client = openClient(call.terminal)
  const email = call.arg('email')
  const [first, ...others] = call.list('space')
  const groups = call.list('group')
  const role = call.option('role') as Invitation['role'] | undefined // one of the choices
  const spaceRole = (call.option('space-role') ?? 'editor') as SpaceRole // one of the choices
  const sent =
    first !== undefined && others.length === 0 && groups.length === 0 && role === undefined
      ? await client.spaces.invitations.create(first, email, spaceRole)
      : await client.invitations.create({
          email,
          ...(role !== undefined && { role }),
          spaces: call.list('space').map((space) => ({ space, role: spaceRole })),
          ...(groups.length > 0 && { groups: [...groups] }),
        })
  printLink(call, sent)
}

/** `recto invitations list` */
export async function listInvitationsCommand(call: CommandCall): Promise<void> {
  await printList(call, chooseInvitations(call).list(), 'No open invitations.', [
    { title: 'ID', of: ({ id }) => id },
    { title: 'E-MAIL', of: ({ email }) => email, cut: true },
    { title: 'ROLE', of: ({ role }) => role },
    {
      title: 'SPACES',
      of: ({ spaces }) => spaces.map(({ space, role }) => `${space} (${role})`).join(', ') || '-',
      cut: true,
    },
    { title: 'INVITED BY', of: ({ invitedBy }) => invitedBy.name, cut: true },
    { title: 'EXPIRES', of: ({ expired, expiresAt }) => (expired ? 'expired' : timeText(expiresAt)) },
  ])
}

/** `recto invitations resend` */
export async function resendInvitationCommand(call: CommandCall): Promise<void> {
  printLink(call, await chooseInvitations(call).resend(call.arg('id')))
}

/** `recto invitations revoke` */
export async function revokeInvitationCommand(call: CommandCall): Promise<void> {
  await chooseInvitations(call).revoke(call.arg('id'))
  call.terminal.out(`Revoked ${call.arg('id')}.\n`)
}

/** The invitations of the space of `--space`; without it, those of the organisation. */
function chooseInvitations(call: CommandCall): Omit<Client['invitations'], 'create'> {
  const { invitations, spaces } = openClient(call.terminal)
  const space = call.option('space')
  if (space === undefined) return invitations
  return {
    list: (options) => spaces.invitations.list(space, options),
    resend: (id) => spaces.invitations.resend(space, id),
    revoke: (id) => spaces.invitations.revoke(space, id),
  }
}

function printLink(call: CommandCall, sent: SentInvitation): void {
  const { invitation, url, mailed } = sent
  const how = mailed ? 'It was sent to them' : 'Pass this link on'
  const until = timeText(invitation.expiresAt)
  const text = `Invited ${invitation.email}. ${how}; it works once, until ${until}, and is not shown again:`
  printSecret(call, sent, url, text)
}
