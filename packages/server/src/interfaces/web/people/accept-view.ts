import type { OpenInvitation } from '../../../identity/people/accept.ts'
import { invitationPath } from '../../../identity/people/invitations.ts'
import { errorNotice, passwordField, textField } from '../controls.ts'
import { html } from '../html.ts'
import type { Screen } from '../screen.ts'
import { providerSignInUrl, SIGN_IN } from '../urls.ts'
import { firstPasskeyButton } from './first-passkey.ts'
import type { LinkForm } from './secret-link.ts'

/** The form for an invited person. It works without script. */
export function acceptScreen(
  { token, link, passkeys, failed }: LinkForm<OpenInvitation>,
  provider: string | undefined,
): Screen {
  const { email, invitedBy, spaces, role } = link
  const names = spaces.map(
    ({ name, folder }, index) =>
      html`${index > 0 && ', '}<bdi>${name}</bdi>${folder !== null && html` (<code dir="auto">${folder}</code>)`}`,
  )
  return {
    title: 'Join · Recto',
    signedOut: true,
    islands: passkeys ? ['passkeys'] : [],
    main: html`<div class="screen narrow"><div class="door">
<h1>Join Recto</h1>
<p>${invitedBy} invites you${names.length > 0 && html` to ${names}`}${role === 'admin' && ', as an administrator'}.</p>
${errorNotice(failed)}
${failed?.error.code === 'email_taken' && html`<p><a href="${SIGN_IN}">Sign in</a> to the account that you have, and ask ${invitedBy} to add it.</p>`}
${provider !== undefined && html`<p><a class="button primary" href="${providerSignInUrl(invitationPath(token))}">Join with ${provider}</a></p>`}
<form class="form" method="post" action="${invitationPath(token)}">
<div class="field"><label for="email">E-mail address</label>
<input id="email" type="email" autocomplete="username" value="${email}" readonly></div>
${textField({ name: 'name', label: 'Your name', required: true, maxLength: 200, autofocus: true, autocomplete: 'name', failed })}
${passwordField({ name: 'password', label: 'Password', autocomplete: 'new-password', failed, help: 'At least 12 characters. Four random words are easy to remember.' })}
<button class="button primary" type="submit">Join</button>
${passkeys && firstPasskeyButton(invitationPath(token), 'Join with a passkey')}
</form>
</div></div>`,
  }
}
