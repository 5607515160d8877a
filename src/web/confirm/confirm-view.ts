import { errorNotice, passwordField } from '../controls.ts'
import { type Fields, textsOf } from '../fields.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { CONFIRM, SIGN_IN, withQuery } from '../urls.ts'

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
  /** The screen where the person was, or wants to go. */
  readonly next: string
  readonly failed?: FailedForm | undefined
}

/** The fields of this screen in the form; all others are those of the pending form. */
export const CONFIRM_FIELDS = { password: 'confirmPassword', url: 'confirmUrl', next: 'confirmNext' } as const

/** Asks for the password or the passkey again, and then continues with what the person was doing. It works without script. */
export function confirmScreen(view: ConfirmView): Screen {
  const { methods, next } = view
  const hasOwn = methods.password || methods.passkey
  return {
    title: 'Confirm that it is you · Recto',
    islands: methods.passkey ? ['passkeys'] : [],
    main: html`<div class="screen narrow"><div class="door">
<h1>Confirm that it is you</h1>
${errorNotice(view.failed)}
<p>This needs your ${methodNames(view)} again, as your last sign-in is more than five minutes ago.</p>
${hasOwn && ownForm(view)}
${!hasOwn && methods.key && keyForm(next)}
${methods.provider !== undefined && html`<p><a class="button" href="${withQuery('/sign-in/oidc', { again: '1', next })}">Sign in with ${methods.provider} again</a></p>`}
${!hasOwn && !methods.key && methods.provider === undefined && html`<p>Your account has no password and no passkey. <a href="${SIGN_IN}">Sign out</a>, and sign in again.</p>`}
<p><a href="${next}">Cancel</a></p>
</div></div>`,
  }
}

function methodNames({ methods }: ConfirmView): string {
  const names = [methods.password && 'password', methods.passkey && 'passkey'].filter(Boolean)
  if (names.length > 0) return names.join(' or ')
  return methods.key ? 'API key' : 'sign-in'
}

function ownForm({ methods, pending, next, failed }: ConfirmView): Html {
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
  const sent = Array.isArray(fields[name]) ? `${name}[]` : name
  return textsOf(fields, name).map((value) => html`<input type="hidden" name="${sent}" value="${value}">\n`)
}

/** A new sign-in with the key. */
function keyForm(next: string): Html {
  return html`<form class="form" method="post" action="${SIGN_IN}">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" maxlength="200" required></div>
<button class="button primary" type="submit">Confirm</button>
</form>`
}
