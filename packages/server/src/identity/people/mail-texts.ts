import { cleanLine } from '@recto/lib/text/single-line.ts'
import type { Mail } from './mail.ts'
import type { InvitationRow } from './store-invitations.ts'

const WAYS_ON = 'If you did not expect this mail, ignore it: nothing happens without the link.'

const MAX_NAME = 60
const MAX_SPACES = 3

/**
 * A name in a mail is a text that its sender has chosen: it is short, of one line, and mail programs find no URL or
 * domain name in it of which they would make a link.
 */
export function nameInMail(name: string): string {
  const line = cleanLine(name.normalize('NFKC'))
    .replaceAll('://', ' ')
    .replace(/([.。])(?=\S)/g, '$1 ')
    .trim()
  const characters = [...line]
  if (characters.length === 0) return 'Somebody'
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME).join('').trimEnd()}…` : line
}

/** The mail with the link of an invitation. */
export function invitationMail(
  { email, invited_by: by, spaces, expires_at }: Pick<InvitationRow, 'email' | 'invited_by' | 'spaces' | 'expires_at'>,
  url: string,
): Mail {
  const inviter = nameInMail(by.name)
  const names = spaces.slice(0, MAX_SPACES).map(({ name }) => nameInMail(name))
  const others = spaces.length - names.length
  const where = names.length === 0 ? '' : ` to read and write in ${names.join(', ')}`
  return {
    to: email,
    subject: `${inviter} invites you to Recto`,
    text: `${inviter} invites you to Recto${where}${others > 0 ? ` and ${others} more` : ''}.

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

/** The mail to a person whose account has a new way to sign in. */
export function linkedMail(
  email: string,
  { provider, publicUrl, ended }: { readonly provider: string; readonly publicUrl: string; readonly ended: boolean },
): Mail {
  const others = ended ? 'Its password, passkeys, keys and apps of before have ended.\n\n' : ''
  return {
    to: email,
    subject: `You can sign in to Recto with ${provider}`,
    text: `Somebody has signed in to ${publicUrl} with ${provider}, which says that this is your e-mail address. Your account there
is now connected with it: you can sign in with ${provider} from now on.

${others}If it was not you, tell an administrator of the workspace.
`,
  }
}

/** The mail to a person of whose accounts an admin has made one; `remaining` is its address. */
export function mergedMail(
  to: string,
  { by, remaining }: { readonly by: string; readonly remaining: string | null },
): Mail {
  const admin = nameInMail(by)
  return {
    to,
    subject: 'Your accounts at Recto were merged',
    text: `${admin} has merged two accounts of yours at Recto: one remains${remaining === null ? '' : `, with the e-mail address ${remaining}`}. It has the roles,
groups and favourites of both. The password, passkeys, keys, apps and sessions of the other one have ended.

If you did not expect this, ask ${admin}.
`,
  }
}
