import type { ScreenSettings } from '../../../identity/people/appearance.ts'
import type { Session } from '../../../identity/people/own-sessions.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, passwordField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t } from '../html.ts'
import { lastUsed } from '../keys-view.ts'
import { badge, moment, type Row, rows } from '../rows.ts'
import type { FailedForm } from '../screen.ts'
import { ACCOUNT_PASSWORD, ACCOUNT_PROFILE, END_OTHER_SESSIONS, endSessionUrl, SIGN_OUT } from '../urls.ts'
import { screensSection } from './appearance.ts'
import { type PasskeysView, passkeysSection } from './passkeys-view.ts'
import { type PictureView, pictureForm } from './picture-view.ts'

export interface SecurityView {
  readonly sessions: List<Session>
  readonly password: { readonly email: string | null; readonly isSet: boolean }
  readonly name: string
  readonly picture: PictureView
  readonly passkeys: PasskeysView
  readonly screens: ScreenSettings
  readonly isHuman: boolean
  /** Whether the caller may change the password, and end other sessions. */
  readonly hasFullAccess: boolean
}

/** The password, the passkeys and the sessions of the caller. */
export function securitySections(view: SecurityView, failed: FailedForm | undefined): Html {
  const { sessions, isHuman, hasFullAccess } = view
  const list = sessions.items.map((session) => sessionRow(session, hasFullAccess))
  return html`${
    isHuman &&
    hasFullAccess &&
    html`${profileSection(view, failed)}
${passwordSection(view, failed)}
${passkeysSection(view.passkeys)}`
  }
${isHuman && screensSection(view.screens)}
<section aria-labelledby="sessions"><h2 id="sessions">${t('Where you are signed in')}</h2>
${rows(t('Sessions'), list, html`<p>${t('You are not signed in on any device.')}</p>`)}
<p>${t('Signing out on every device ends all your browser sessions. Your API keys keep working.')}</p>
<div class="buttons">${buttonForm(SIGN_OUT, t('Sign out'))}
${
  hasFullAccess &&
  sessions.items.some(({ current }) => !current) &&
  buttonForm(END_OTHER_SESSIONS, t('Sign out everywhere else'))
}
${buttonForm(SIGN_OUT, t('Sign out on every device'), { fields: { everywhere: '1' }, look: 'danger' })}</div></section>`
}

function profileSection({ name, picture }: SecurityView, failed: FailedForm | undefined): Html {
  const own = failed && 'name' in failed.fields ? failed : undefined
  return html`<section aria-labelledby="profile"><h2 id="profile">${t('Your profile')}</h2>
<form class="form" method="post" action="${ACCOUNT_PROFILE}">
${CSRF_FIELD}
${textField('name', t('Name'), {
  required: true,
  maxLength: 200,
  value: name,
  autocomplete: 'name',
  failed: own,
  help: t('Everyone sees it next to what you write.'),
})}
<button type="submit" class="button primary">${t('Save')}</button>
</form>
${pictureForm(picture)}</section>`
}

function passwordSection({ password }: SecurityView, failed: FailedForm | undefined): Html {
  const { email, isSet } = password
  const own = failed && 'password' in failed.fields ? failed : undefined
  const form = html`<p>
${t('You sign in as {email}.', {
  email: html`<strong>${email}</strong>`,
})} ${isSet && t('Changing the password signs you out everywhere else.')}</p>
<form class="form" method="post" action="${ACCOUNT_PASSWORD}">
${CSRF_FIELD}
<input type="hidden" name="username" autocomplete="username" value="${email}">
${isSet && passwordField('current', t('Current password'), { autocomplete: 'current-password', failed: own })}
${passwordField('password', t('New password'), {
  autocomplete: 'new-password',
  failed: own,
  help: t('At least 12 characters. Four random words are easy to remember.'),
})}
<button type="submit" class="button primary">${isSet ? t('Change the password') : t('Set the password')}</button>
</form>`
  return html`<section aria-labelledby="password-heading"><h2 id="password-heading">${t('Your password')}</h2>
${
  email === null
    ? html`<p>${t('Your account has no e-mail address to sign in with. An organisation admin can add it.')}</p>`
    : form
}
</section>`
}

function sessionRow(session: Session, mayEnd: boolean): Row {
  const { id, current, address, userAgent, apiKey, createdAt, lastSeenAt } = session
  const when = moment(createdAt)
  return {
    title: browserName(userAgent),
    badges: [current && badge(t('this browser'), 'info'), apiKey !== null && badge(t('API key'))],
    about: html`${
      address === null ? t('signed in {when}', { when }) : t('signed in {when} from {address}', { when, address })
    }; ${lastUsed(lastSeenAt)}`,
    ...(mayEnd &&
      !current && {
        actions: buttonForm(endSessionUrl(id), t('Sign out'), {
          label: t('Sign out: {browser}, signed in {when}', { browser: browserName(userAgent), when: createdAt }),
        }),
      }),
  }
}

/** User agents also contain the names of related browsers: the most specific name first. */
const BROWSERS = [
  [/\bEdg\w*\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(Headless)?Chrom(e|ium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone|iPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** The browser and the system in a user agent. */
export function browserName(userAgent: string | null): string {
  const of = (names: typeof BROWSERS | typeof SYSTEMS) => names.find(([like]) => like.test(userAgent ?? ''))?.[1]
  return [of(BROWSERS) ?? t('Unknown browser'), of(SYSTEMS)].filter(Boolean).join(', ')
}
