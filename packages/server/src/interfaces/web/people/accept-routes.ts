import { Type } from 'typebox'
import { joinFolders } from '../../../content/spaces/rules/grant-folder.ts'
import { acceptInvitation, openInvitation } from '../../../identity/people/accept.ts'
import { MAX_PASSWORD_LENGTH } from '../../../identity/people/password-rules.ts'
import { line, text } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { checked, filled, readText } from '../fields.ts'
import type { SignInOptions } from '../sign-in/sign-in-routes.ts'
import { HOME, spaceUrl } from '../urls.ts'
import { acceptScreen } from './accept-view.ts'
import { secretLinkRoutes } from './secret-link.ts'

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
