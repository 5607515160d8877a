import { Type } from 'typebox'
import { parseEmail } from '../../access/email.ts'
import { rejectCrossSite } from '../../access/sessions/cross-site.ts'
import { AppError } from '../../errors.ts'
import { text } from '../../http/bodies/text.ts'
import type { Server } from '../../http/server.ts'
import { linkInvalid, type OpenLink, openLink } from '../../people/links.ts'
import { relyingPartyOf } from '../../people/passkeys/challenges.ts'
import { MAX_PASSWORD_LENGTH } from '../../people/password-rules.ts'
import { redeemLink } from '../../people/redeem.ts'
import { checked, type Fields, fieldsSchema, filled, textOf } from '../fields.ts'
import { acceptForms } from '../forms.ts'
import { orFormError, sendScreen } from '../screen.ts'
import { type SignInOptions, startSession } from '../sign-in/sign-in-routes.ts'
import { HOME } from '../urls.ts'
import { firstPasskeyRoutes } from './first-passkey.ts'
import { type GuessLimiter, limitGuesses } from './guesses.ts'
import { linkScreen } from './link-view.ts'

const config = { public: true }
const params = Type.Object({ token: Type.String({ maxLength: 100 }) })
const redemptionSchema = Type.Object({
  password: text({ maxLength: 4 * MAX_PASSWORD_LENGTH }),
  name: Type.Optional(text({ minLength: 1, maxLength: 200 })),
  email: Type.Optional(text()),
})
/**
 * One-time links, for people who have no account yet, or cannot sign in. Opening one changes nothing, because mail
 * programs do that.
 */
export async function oneTimeLinkRoutes(app: Server, options: SignInOptions): Promise<void> {
  const { runtime } = options
  acceptForms(app)
  const limited: GuessLimiter<OpenLink> = limitGuesses()
  const open = (token: string, address: string) => limited(address, () => openLink(runtime, token))
  // The origin is known only once the server listens.
  const hasPasskeys = () => relyingPartyOf(runtime.config.publicUrl) !== undefined

  app.get('/link/:token', { config, schema: { hide: true, params } }, async (request, reply) => {
    const { token } = request.params
    const link = await open(token, request.ip)
    return sendScreen(
      reply.header('Cache-Control', 'no-store'),
      linkScreen({ token, link, passkeys: hasPasskeys() }),
    )
  })

  app.post(
    '/link/:token',
    {
      config,
      schema: { hide: true, params, body: fieldsSchema },
      onRequest: async (request) => rejectCrossSite(request, runtime.config.publicUrl),
    },
    async (request, reply) => {
      const { token } = request.params
      const link = await open(token, request.ip)
      reply.header('Cache-Control', 'no-store')
      const deps = { ...runtime, address: request.ip }
      const result = await orFormError(() => redeemLink(deps, token, redemptionOf(request.body)))
      if (result instanceof AppError) {
        if (result.code === 'link_invalid') throw result
        const failed = { fields: request.body, error: result }
        return sendScreen(reply, {
          ...linkScreen({ token, link, passkeys: hasPasskeys(), failed }),
          status: 400,
        })
      }
      await startSession(request, reply, options, { principalId: result, keyId: null })
      return reply.redirect(HOME, 303)
    },
  )

  firstPasskeyRoutes(app, options, {
    url: '/link/:token',
    async account(token, { name, email = '' }, address) {
      const link = await open(token, address)
      if (link.purpose !== 'setup') throw linkInvalid()
      return { id: link.principalId, name, email: parseEmail(email) }
    },
    async finish({ token, fields, passkey }, address) {
      await open(token, address)
      const principalId = await redeemLink({ ...runtime, address }, token, { ...fields, passkey })
      return { principalId, url: HOME }
    },
  })
}

/** Spaces of a password are significant. */
function redemptionOf(fields: Fields) {
  return checked(redemptionSchema, {
    ...filled(fields, 'name', 'email'),
    password: textOf(fields, 'password'),
  })
}
