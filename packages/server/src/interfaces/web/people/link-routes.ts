import { Type } from 'typebox'
import { linkInvalid, openLink } from '../../../identity/people/links.ts'
import { MAX_PASSWORD_LENGTH } from '../../../identity/people/password-rules.ts'
import { redeemLink } from '../../../identity/people/redeem.ts'
import { parseEmail } from '../../../identity/principals/email.ts'
import { line, text } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { checked, filled, readText } from '../fields.ts'
import type { SignInOptions } from '../sign-in/sign-in-routes.ts'
import { HOME } from '../urls.ts'
import { linkScreen } from './link-view.ts'
import { secretLinkRoutes } from './secret-link.ts'

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
