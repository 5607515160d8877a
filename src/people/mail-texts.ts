import type { Mail } from './mail.ts'
import type { InvitationRow } from './store-invitations.ts'

const WAYS_ON = 'If you did not expect this mail, ignore it: nothing happens without the link.'

/** The mail with the link of an invitation. */
export function invitationMail(
  {
    email,
    invited_by: by,
    spaces,
    expires_at,
  }: Pick<InvitationRow, 'email' | 'invited_by' | 'spaces' | 'expires_at'>,
  url: string,
): Mail {
  const where =
    spaces.length === 0 ? '' : ` to read and write in ${spaces.map(({ name }) => name).join(', ')}`
  return {
    to: email,
    subject: `${by.name} invites you to Recto`,
    text: `${by.name} invites you to Recto${where}.

Open this link to create your account. It works once, until ${expires_at.toUTCString()}:

${url}

${WAYS_ON}
`,
  }
}

/** The mail to a person who forgot their password. */
export function passwordMail(email: string, url: string): Mail {
  return {
    to: email,
    subject: 'Choose a new password for Recto',
    text: `Somebody, probably you, asked for a new password for your account at Recto.

Open this link to choose one. It works once, within a day:

${url}

If it was not you, ignore this mail: your password stays as it is.
`,
  }
}
