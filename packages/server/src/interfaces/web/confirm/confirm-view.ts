import { errorNotice, passwordField } from '../controls.ts'
import { type Fields, readTexts } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, trusted } from '../html.ts'
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
    title: 'Confirm that it is you · Recto',
    islands: methods.passkey ? ['passkeys'] : [],
    main: html`<div class="screen narrow"><div class="door">
<h1>Confirm that it is you</h1>
${errorNotice(view.failed)}
<p>This needs your ${methodNames(view)} again, as your last sign-in is more than five minutes ago.</p>
${methods.provider !== undefined && providerLink(view)}
${hasForm && ownForm(view)}
${!hasOwn && !methods.key && methods.provider === undefined && html`<p>Your account has no password and no passkey. <a href="${SIGN_IN}">Sign out</a>, and sign in again.</p>`}
<p><a href="${view.back ?? next}">Cancel</a></p>
</div></div>`,
  }
}

/** With a pending form in a window of its own: the fields of the form are in this one only. */
function providerLink({ methods, pending, next }: ConfirmView): Html {
  const url = providerSignInUrl(pending ? CONFIRMED : next, '1')
  const target = pending && trusted(' target="_blank"')
  return html`<p><a class="button" href="${url}"${target}>Sign in with ${methods.provider} again</a></p>
${pending && html`<p class="quiet">It opens in a new window. Then continue here: your input is kept.</p>`}`
}

function methodNames({ methods }: ConfirmView): string {
  const names = [methods.password && 'password', methods.passkey && 'passkey'].filter(Boolean)
  if (names.length > 0) return names.join(' or ')
  return methods.key ? 'API key' : 'sign-in'
}

function ownForm({ methods, pending, next, failed }: ConfirmView): Html {
  const hasOwn = methods.password || methods.passkey
  return html`<form class="form" method="post" action="${CONFIRM}">
${CSRF_FIELD}
<input type="hidden" name="${CONFIRM_FIELDS.next}" value="${next}">
${pending && html`<input type="hidden" name="${CONFIRM_FIELDS.url}" value="${pending.url}">\n${Object.keys(pending.fields).map((name) => hiddenFields(pending.fields, name))}`}
${
  methods.password &&
  html`${passwordField({ name: CONFIRM_FIELDS.password, label: 'Password', autocomplete: 'current-password', failed })}
<button class="button primary" type="submit">Confirm</button>`
}
${
  !hasOwn &&
  methods.key &&
  html`${passwordField({ name: CONFIRM_FIELDS.key, label: 'API key', autocomplete: 'off', failed })}
<button class="button primary" type="submit">Confirm</button>`
}
${pending && methods.provider !== undefined && html`<button class="button" type="submit" formnovalidate>Continue</button>`}
${
  methods.passkey &&
  html`<div data-passkey="get" data-options="${CONFIRM}/passkey/options" data-url="${CONFIRM}/passkey" data-then="submit" hidden>
<button class="button${!methods.password && ' primary'}" type="button">Confirm with a passkey</button>
<p role="status"></p>
</div>`
}
${methods.passkey && !methods.password && html`<noscript><p class="quiet">Passkeys need JavaScript.</p></noscript>`}
</form>`
}

/** A name that was sent with `[]` has an array. */
function hiddenFields(fields: Fields, name: string): Html[] {
  const sentName = Array.isArray(fields[name]) ? `${name}[]` : name
  return readTexts(fields, name).map((value) => html`<input type="hidden" name="${sentName}" value="${value}">\n`)
}

/** What the window of the identity provider shows at the end. */
export function confirmedScreen(isConfirmed: boolean): Screen {
  const title = isConfirmed ? 'Thank you: it is you' : 'Not confirmed'
  const text = isConfirmed
    ? 'Close this window, and continue in the one where you were.'
    : 'Your provider did not ask you to sign in again. Sign out there, and try again.'
  return {
    title: `${title} · Recto`,
    main: html`<div class="screen narrow"><div class="door">\n<h1>${title}</h1>\n<p>${text}</p>\n</div></div>`,
  }
}
