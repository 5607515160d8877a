import { linkPath, type OpenLink } from '../../../identity/people/links.ts'
import { errorNotice, passwordField, textField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import { firstPasskeyButton } from './first-passkey.ts'
import type { LinkForm } from './secret-link.ts'

/** The form for the holder of a one-time link. It works without script. */
export function linkScreen({ link, token, passkeys, failed }: LinkForm<OpenLink>): Screen {
  const isSetup = link.purpose === 'setup'
  const title = isSetup ? 'Set up your account' : 'Choose a new password'
  return {
    title: `${title} · Recto`,
    signedOut: true,
    islands: isSetup && passkeys ? ['passkeys'] : [],
    main: html`<div class="screen narrow"><div class="door">
<h1>${title}</h1>
<p>${isSetup ? 'You will be the administrator of this workspace.' : html`For the account of ${link.name}. You will be signed out everywhere else.`}</p>
${errorNotice(failed)}
<form class="form" method="post" action="${linkPath(token)}">
${isSetup ? ownFields(failed) : knownAccount(link)}
${passwordField({ name: 'password', label: 'Password', autocomplete: 'new-password', failed, help: 'At least 12 characters. Four random words are easy to remember.' })}
<button class="button primary" type="submit">${isSetup ? 'Create the account' : 'Save and sign in'}</button>
${isSetup && passkeys && firstPasskeyButton(linkPath(token), 'Create the account with a passkey')}
</form>
</div></div>`,
  }
}

function ownFields(failed: FailedForm | undefined): Html {
  return html`${textField({ name: 'name', label: 'Your name', required: true, maxLength: 200, autofocus: true, autocomplete: 'name', failed })}
${textField({ name: 'email', label: 'E-mail address', type: 'email', required: true, maxLength: 254, autocomplete: 'username', failed, help: 'You sign in with it.' })}`
}

/** Password managers keep the password with the account. */
function knownAccount({ email }: OpenLink): Html {
  return html`<div class="field"><label for="email">E-mail address</label>
<input id="email" type="email" autocomplete="username" value="${email}" readonly></div>`
}
