import { Type } from 'typebox'
import { linkInvalid, linkPath, type OpenLink, openLink } from '../../../identity/people/links.ts'
import { MAX_PASSWORD_LENGTH } from '../../../identity/people/password-rules.ts'
import { redeemLink } from '../../../identity/people/redeem.ts'
import { parseEmail } from '../../../identity/principals/email.ts'
import { line, text } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { errorNotice, passwordField, textField } from '../controls.ts'
import { checked, filled, readText } from '../fields.ts'
import { type Html, html, t } from '../html.ts'
import type { FailedForm, Screen } from '../screen.ts'
import type { SignInOptions } from '../sign-in/sign-in-routes.ts'
import { HOME } from '../urls.ts'
import { firstPasskeyButton } from './first-passkey.ts'
import { type LinkForm, secretLinkRoutes } from './secret-link.ts'

const redemptionSchema = Type.Object({
  password: text({ maxLength: 4 * MAX_PASSWORD_LENGTH }),
  name: Type.Optional(line({ minLength: 1, maxLength: 200 })),
  email: Type.Optional(text()),
})

/** One-time links, for people who have no account yet, or cannot sign in. */
export async function oneTimeLinkRoutes(app: Server, options: SignInOptions): Promise<void> {
  const { runtime } = options
  secretLinkRoutes(app, options, {
    url: '/link/:token',
    open: (token) => openLink(runtime, token),
    screen: linkScreen,
    // Spaces of a password are significant.
    input: (fields) =>
      checked(redemptionSchema, { ...filled(fields, 'name', 'email'), password: readText(fields, 'password') }),
    account({ purpose, principalId }, { name, email = '' }) {
      if (purpose !== 'setup') throw linkInvalid()
      return { id: principalId, name, email: parseEmail(email) }
    },
    use: (token, input, address) => redeemLink({ ...runtime, address }, token, input),
    next: () => HOME,
  })
}

/** The form for the holder of a one-time link. It works without script. */
function linkScreen({ link, token, passkeys, failed }: LinkForm<OpenLink>): Screen {
  const isSetup = link.purpose === 'setup'
  const title = isSetup ? t('Set up your account') : t('Choose a new password')
  return {
    signedOut: true,
    islands: isSetup && passkeys ? ['passkeys'] : [],
    heading: title,
    column: 'door',
    main: html`<p>${
      isSetup
        ? t('You will be the administrator of this workspace.')
        : t('For the account of {name}. You will be signed out everywhere else.', { name: link.name })
    }</p>
${errorNotice(failed)}
<form class="form" method="post" action="${linkPath(token)}">
${isSetup ? ownFields(failed) : knownAccount(link)}
${passwordField('password', t('Password'), {
  autocomplete: 'new-password',
  failed,
  help: t('At least 12 characters. Four random words are easy to remember.'),
})}
<button class="button primary" type="submit">${isSetup ? t('Create the account') : t('Save and sign in')}</button>
${isSetup && passkeys && firstPasskeyButton(linkPath(token), t('Create the account with a passkey'))}
</form>`,
  }
}

function ownFields(failed: FailedForm | undefined): Html {
  return html`${textField('name', t('Your name'), {
    required: true,
    maxLength: 200,
    autofocus: true,
    autocomplete: 'name',
    failed,
  })}
${textField('email', t('E-mail address'), {
  type: 'email',
  required: true,
  maxLength: 254,
  autocomplete: 'username',
  failed,
  help: t('You sign in with it.'),
})}`
}

/** Password managers keep the password with the account. */
function knownAccount({ email }: OpenLink): Html {
  return html`<div class="field"><label for="email">${t('E-mail address')}</label>
<input id="email" type="email" autocomplete="username" value="${email}" readonly></div>`
}
