import { errorNotice, passwordField } from '../controls.ts'
import { type Fields, readTexts } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t, trusted } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { CONFIRM, CONFIRMED, providerSignInUrl, SIGN_IN } from '../urls.ts'

/** A form that was rejected until the person confirms; it is then sent again. */
export interface PendingForm {
  readonly url: string
  readonly fields: Fields
}

export interface ConfirmView {
  /** How the person can confirm. */
  readonly methods: {
    readonly password: boolean
    readonly passkey: boolean
    /** Whether the session was opened with an API key. */
    readonly key: boolean
    /** The name of the identity provider, if there is one. */
    readonly provider: string | undefined
  }
  readonly pending?: PendingForm | undefined
  /** Where the person goes next, unless there is a pending form. */
  readonly next: string
  /** Where the person was: for those who cancel. By default `next`. */
  readonly back?: string | undefined
  readonly failed?: FailedForm | undefined
}

/** The fields of this screen in the form; all others are those of the pending form. */
export const CONFIRM_FIELDS = {
  password: 'confirmPassword',
  key: 'confirmKey',
  url: 'confirmUrl',
  next: 'confirmNext',
} as const

/**
 * Asks for the password or the passkey again, and then continues with what the person was doing. It works without
 * script.
 */
export function confirmScreen(view: ConfirmView): Screen {
  const { methods, next } = view
  const hasOwn = methods.password || methods.passkey
  const hasForm = hasOwn || methods.key || (methods.provider !== undefined && view.pending !== undefined)
  return {
    islands: methods.passkey ? ['passkeys'] : [],
    heading: t('Confirm that it is you'),
    column: 'door',
    main: html`${errorNotice(view.failed)}
<p>${explain(view)}</p>
${methods.provider !== undefined && providerLink(view)}
${hasForm && ownForm(view)}
${
  !hasOwn &&
  !methods.key &&
  methods.provider === undefined &&
  html`<p>${t('Your account has no password and no passkey. <link>Sign out</link>, and sign in again.', {
    link: (text) => html`<a href="${SIGN_IN}">${text}</a>`,
  })}</p>`
}
<p><a href="${view.back ?? next}">${t('Cancel')}</a></p>`,
  }
}

/** With a pending form in a window of its own: the fields of the form are in this one only. */
function providerLink({ methods, pending, next }: ConfirmView): Html {
  const url = providerSignInUrl(pending ? CONFIRMED : next, '1')
  const target = pending && trusted(' target="_blank"')
  return html`<p><a class="button" href="${url}"${target}>${t('Sign in with {provider} again', {
    provider: methods.provider ?? '',
  })}</a></p>
${pending && html`<p class="quiet">${t('It opens in a new window. Then continue here: your input is kept.')}</p>`}`
}

function explain({ methods: { password, passkey, key } }: ConfirmView): string {
  if (password && passkey) {
    return t('This needs your password or passkey again, as your last sign-in is more than five minutes ago.')
  }
  if (password) return t('This needs your password again, as your last sign-in is more than five minutes ago.')
  if (passkey) return t('This needs your passkey again, as your last sign-in is more than five minutes ago.')
  return key
    ? t('This needs your API key again, as your last sign-in is more than five minutes ago.')
    : t('This needs your sign-in again, as your last sign-in is more than five minutes ago.')
}

function ownForm({ methods, pending, next, failed }: ConfirmView): Html {
  const hasOwn = methods.password || methods.passkey
  return html`<form class="form" method="post" action="${CONFIRM}">
${CSRF_FIELD}
<input type="hidden" name="${CONFIRM_FIELDS.next}" value="${next}">
${
  pending &&
  html`<input type="hidden" name="${CONFIRM_FIELDS.url}" value="${pending.url}">\n${Object.keys(pending.fields).map(
    (name) => hiddenFields(pending.fields, name),
  )}`
}
${
  methods.password &&
  html`${passwordField(CONFIRM_FIELDS.password, t('Password'), { autocomplete: 'current-password', failed })}
<button class="button primary" type="submit">${t('Confirm')}</button>`
}
${
  !hasOwn &&
  methods.key &&
  html`${passwordField(CONFIRM_FIELDS.key, t('API key'), { autocomplete: 'off', failed })}
<button class="button primary" type="submit">${t('Confirm')}</button>`
}
${
  pending &&
  methods.provider !== undefined &&
  html`<button class="button" type="submit" formnovalidate>${t('Continue')}</button>`
}
${
  methods.passkey &&
  html`<div data-passkey="get" data-options="${CONFIRM}/passkey/options" data-url="${CONFIRM}/passkey"
    data-then="submit" hidden>
<button class="button${!methods.password && ' primary'}" type="button">${t('Confirm with a passkey')}</button>
<p role="status"></p>
</div>`
}
${
  methods.passkey &&
  !methods.password &&
  html`<noscript><p class="quiet">${t('Passkeys need JavaScript.')}</p></noscript>`
}
</form>`
}

/** A name that was sent with `[]` has an array. */
function hiddenFields(fields: Fields, name: string): Html[] {
  const sentName = Array.isArray(fields[name]) ? `${name}[]` : name
  return readTexts(fields, name).map((value) => html`<input type="hidden" name="${sentName}" value="${value}">\n`)
}

/** What the window of the identity provider shows at the end. */
export function confirmedScreen(isConfirmed: boolean): Screen {
  const text = isConfirmed
    ? t('Close this window, and continue in the one where you were.')
    : t('Your provider did not ask you to sign in again. Sign out there, and try again.')
  return {
    heading: isConfirmed ? t('Thank you: it is you') : t('Not confirmed'),
    column: 'door',
    main: html`<p>${text}</p>`,
  }
}
