import { Type } from 'typebox'
import { joinFolders } from '../../../content/spaces/rules/grant-folder.ts'
import { acceptInvitation, type OpenInvitation, openInvitation } from '../../../identity/people/accept.ts'
import { invitationPath } from '../../../identity/people/invitations.ts'
import { MAX_PASSWORD_LENGTH } from '../../../identity/people/password-rules.ts'
import { line, text } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { errorNotice, passwordField, textField } from '../controls.ts'
import { checked, filled, readText } from '../fields.ts'
import { type Html, type HtmlValue, html, joinList, t } from '../html.ts'
import type { Screen } from '../screen.ts'
import type { SignInOptions } from '../sign-in/sign-in-routes.ts'
import { HOME, providerSignInUrl, SIGN_IN, spaceUrl } from '../urls.ts'
import { firstPasskeyButton } from './first-passkey.ts'
import { type LinkForm, secretLinkRoutes } from './secret-link.ts'

const accountSchema = Type.Object({
  name: line({ minLength: 1, maxLength: 200 }),
  password: text({ maxLength: 4 * MAX_PASSWORD_LENGTH }),
})

/** Accepting an invitation with a name, and a password or a passkey. */
export async function acceptRoutes(app: Server, options: SignInOptions): Promise<void> {
  const { runtime } = options
  secretLinkRoutes(app, options, {
    url: '/invitation/:token',
    open: (token) => openInvitation(runtime, token),
    screen: (form) => acceptScreen(form, options.provider),
    // Spaces of a password are significant.
    input: (fields) => checked(accountSchema, { ...filled(fields, 'name'), password: readText(fields, 'password') }),
    account: ({ email }, { name }) => ({ name, email }),
    use: (token, input, address) => acceptInvitation({ ...runtime, address, joinFolders }, token, input),
    next: ({ spaces: [first] }) => (first ? spaceUrl(first.slug) : HOME),
  })
}

/** The form for an invited person. It works without script. */
function acceptScreen(
  { token, link, passkeys, failed }: LinkForm<OpenInvitation>,
  provider: string | undefined,
): Screen {
  const { email, invitedBy, spaces, role } = link
  const names = spaces.map(
    ({ name, folder }) => html`<bdi>${name}</bdi>${folder !== null && html` (<code dir="auto">${folder}</code>)`}`,
  )
  return {
    title: `${t('Join')} · Recto`,
    signedOut: true,
    islands: passkeys ? ['passkeys'] : [],
    heading: t('Join Recto'),
    column: 'door',
    main: html`<p>${inviteText(invitedBy, names, role === 'admin')}</p>
${errorNotice(failed)}
${
  failed?.error.code === 'email_taken' &&
  html`<p>${t('<link>Sign in</link> to the account that you have, and ask {name} to add it.', {
    name: invitedBy,
    link: (text) => html`<a href="${SIGN_IN}">${text}</a>`,
  })}</p>`
}
${
  provider !== undefined &&
  html`<p><a class="button primary" href="${providerSignInUrl(
    invitationPath(token),
  )}">${t('Join with {provider}', { provider })}</a></p>`
}
<form class="form" method="post" action="${invitationPath(token)}">
<div class="field"><label for="email">${t('E-mail address')}</label>
<input id="email" type="email" autocomplete="username" value="${email}" readonly></div>
${textField('name', t('Your name'), { required: true, maxLength: 200, autofocus: true, autocomplete: 'name', failed })}
${passwordField('password', t('Password'), {
  autocomplete: 'new-password',
  failed,
  help: t('At least 12 characters. Four random words are easy to remember.'),
})}
<button class="button primary" type="submit">${t('Join')}</button>
${passkeys && firstPasskeyButton(invitationPath(token), t('Join with a passkey'))}
</form>`,
  }
}

function inviteText(name: string, names: readonly Html[], isAdmin: boolean): HtmlValue {
  const spaces = joinList(names)
  if (names.length > 0) {
    return isAdmin
      ? t('{name} invites you to {spaces}, as an administrator.', { name, spaces })
      : t('{name} invites you to {spaces}.', { name, spaces })
  }
  return isAdmin ? t('{name} invites you, as an administrator.', { name }) : t('{name} invites you.', { name })
}
