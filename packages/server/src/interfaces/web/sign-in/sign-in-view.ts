import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, t, trusted } from '../html.ts'
import { layout } from '../layout.ts'
import {
  ACCOUNT,
  FORGOT_PASSWORD,
  PASSKEY_SIGN_IN,
  PASSWORD_SIGN_IN,
  providerSignInUrl,
  SIGN_IN,
  SIGN_OUT,
} from '../urls.ts'

export interface SignInView {
  /** The redirect afterwards; a path of this origin. */
  readonly next: string
  /** The name of the caller, if signed in. */
  readonly name?: string | undefined
  /** Why the last sign-in failed. */
  readonly error?: string | undefined
  /** The method of the last sign-in. */
  readonly tried?: 'password' | 'key'
  /** The typed e-mail address. */
  readonly email?: string | undefined
  /** The name of the identity provider, if there is one. */
  readonly provider?: string | undefined
  /** Whether people can sign in with passkeys. */
  readonly passkeys?: boolean
}

/** The screen for signing in and out. It works without script. */
export function signInDocument(view: SignInView): string {
  return layout({
    title: `${t('Sign in')} · Recto`,
    signedOut: view.name === undefined,
    islands: view.passkeys && view.name === undefined ? ['passkeys'] : [],
    heading: view.name === undefined ? t('Sign in') : t('You are signed in as {name}', { name: view.name }),
    column: 'door',
    main: html`${view.error !== undefined && html`<p class="notice error" role="alert">${view.error}</p>`}
${view.name === undefined ? signInForms(view) : signedIn(view)}`,
  })
}

function signInForms(view: SignInView): Html {
  const { next, provider, tried, email, passkeys } = view
  return html`${
    provider !== undefined &&
    html`<p><a class="button primary" href="${providerSignInUrl(next)}">${t('Sign in with {provider}', {
      provider,
    })}</a></p>`
  }
<form class="form" method="post" action="${PASSWORD_SIGN_IN}">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="email">${t('E-mail address')}</label>
<input id="email" name="email" type="email" autocomplete="username" spellcheck="false" maxlength="254"
  required${tried !== 'key' && trusted(' autofocus')} value="${email}"></div>
<div class="field"><label for="password">${t('Password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required></div>
<button class="button primary" type="submit">${t('Sign in')}</button>
</form>
${passkeys && passkeyForm(next)}
<p><a href="${FORGOT_PASSWORD}">${t('Forgotten password?')}</a></p>
${keyForm(view)}`
}

/** A script shows it where the browser has passkeys. */
function passkeyForm(next: string): Html {
  return html`<form class="form" data-passkey="get" data-options="${PASSKEY_SIGN_IN}/options"
    data-url="${PASSKEY_SIGN_IN}" hidden>
<input type="hidden" name="next" value="${next}">
<button class="button" type="submit">${t('Sign in with a passkey')}</button>
<p role="status"></p>
</form>`
}

/** For owners of agents, and for people without a password. */
function keyForm({ next, tried }: SignInView): Html {
  return html`<details${tried === 'key' && trusted(' open')}>
<summary>${t('Use an API key instead')}</summary>
<form class="form" method="post" action="${SIGN_IN}">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="key">${t('API key')}</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" maxlength="200" required
  aria-describedby="key-help">
<p class="help" id="key-help">${t(
    'It begins with {prefix}. The first key is printed when Recto starts for the first time.',
    { prefix: html`<code>svc_</code>` },
  )}</p></div>
<button class="button" type="submit">${t('Sign in with the key')}</button>
</form>
</details>`
}

function signedIn({ next }: SignInView): Html {
  return html`<p class="buttons">
<a class="button primary" href="${next}">${t('Continue')}</a> <a class="button"
  href="${ACCOUNT}">${t('Your account')}</a></p>
<form class="form" method="post" action="${SIGN_OUT}">
${CSRF_FIELD}
<button class="button" type="submit">${t('Sign out')}</button>
</form>
<form class="form" method="post" action="${SIGN_OUT}">
${CSRF_FIELD}
<button class="button" type="submit" name="everywhere" value="1">${t('Sign out on every device')}</button>
</form>`
}
