import { cleanLine } from '@recto/lib/text/single-line.ts'
import { currentLanguage, t } from '../../platform/language/t.ts'
import type { Mail } from './mail.ts'
import type { InvitationRow } from './store-invitations.ts'

const MAX_NAME = 60
const MAX_SPACES = 3
const MOMENT = {
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const

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
  if (characters.length === 0) return t('Somebody')
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME).join('').trimEnd()}…` : line
}

/** The mail with the link of an invitation. */
export function invitationMail(
  { email, invited_by: by, spaces, expires_at }: Pick<InvitationRow, 'email' | 'invited_by' | 'spaces' | 'expires_at'>,
  url: string,
): Mail {
  const inviter = nameInMail(by.name)
  const names = spaces.slice(0, MAX_SPACES).map(({ name }) => nameInMail(name))
  const more = spaces.length - names.length
  const list = new Intl.ListFormat(currentLanguage(), { type: 'unit' }).format(names)
  const where = more > 0 ? t('{names} and {more, number} more', { names: list, more }) : list
  const when = new Intl.DateTimeFormat(currentLanguage(), MOMENT).format(expires_at)
  return {
    to: email,
    subject: t('{inviter} invites you to Recto', { inviter }),
    text: joinParagraphs(
      names.length === 0
        ? t('{inviter} invites you to Recto.', { inviter })
        : t('{inviter} invites you to Recto to read and write in {spaces}.', { inviter, spaces: where }),
      t('Open this link to create your account. It works once, until {when}:', { when }),
      url,
      t('If you did not expect this mail, ignore it: nothing happens without the link.'),
    ),
  }
}

/** The mail to a person who forgot their password. */
export function passwordMail(email: string, url: string): Mail {
  return {
    to: email,
    subject: t('Choose a new password for Recto'),
    text: joinParagraphs(
      t('Somebody, probably you, asked for a new password for your account at Recto.'),
      t('Open this link to choose one. It works once, within a day:'),
      url,
      t('If it was not you, ignore this mail: your password stays as it is.'),
    ),
  }
}

/** The mail to a person whose account has a new way to sign in. */
export function linkedMail(
  email: string,
  { provider, publicUrl, ended }: { readonly provider: string; readonly publicUrl: string; readonly ended: boolean },
): Mail {
  return {
    to: email,
    subject: t('You can sign in to Recto with {provider}', { provider }),
    text: joinParagraphs(
      t(
        'Somebody has signed in to {publicUrl} with {provider}, which says that this is your e-mail address. ' +
          'Your account there\nis now connected with it: you can sign in with {provider} from now on.',
        { publicUrl, provider },
      ),
      ended && t('Its password, passkeys, keys and apps of before have ended.'),
      t('If it was not you, tell an administrator of the workspace.'),
    ),
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
    subject: t('Your accounts at Recto were merged'),
    text: joinParagraphs(
      remaining === null
        ? t(
            '{admin} has merged two accounts of yours at Recto: one remains. It has the roles,\ngroups and ' +
              'favourites of both. The password, passkeys, keys, apps and sessions of the other one have ended.',
            { admin },
          )
        : t(
            '{admin} has merged two accounts of yours at Recto: one remains, with the e-mail address {email}. ' +
              'It has the roles,\ngroups and favourites of both. ' +
              'The password, passkeys, keys, apps and sessions of the other one have ended.',
            { admin, email: remaining },
          ),
      t('If you did not expect this, ask {admin}.', { admin }),
    ),
  }
}

export function joinParagraphs(...paragraphs: readonly (string | false)[]): string {
  return `${paragraphs.filter((paragraph) => paragraph !== false).join('\n\n')}\n`
}
