import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { rejectCrossSite } from '../../access/sessions/cross-site.ts'
import { AppError } from '../../errors.ts'
import { text } from '../../http/bodies/text.ts'
import type { Server } from '../../http/server.ts'
import { acceptInvitation, type OpenInvitation, openInvitation } from '../../people/accept.ts'
import { relyingPartyOf } from '../../people/passkeys/challenges.ts'
import { MAX_PASSWORD_LENGTH } from '../../people/password-rules.ts'
import { checked, fieldsSchema, filled, textOf } from '../fields.ts'
import { acceptForms } from '../forms.ts'
import { orFormError, sendScreen } from '../screen.ts'
import { type SignInOptions, startSession } from '../sign-in/sign-in-routes.ts'
import { HOME, spaceUrl } from '../urls.ts'
import { acceptScreen } from './accept-view.ts'
import { firstPasskeyRoutes } from './first-passkey.ts'
import { type GuessLimiter, limitGuesses } from './guesses.ts'

const config = { public: true }
const params = Type.Object({ token: Type.String({ maxLength: 100 }) })
const accountSchema = Type.Object({
  name: text({ minLength: 1, maxLength: 200 }),
  password: text({ maxLength: 4 * MAX_PASSWORD_LENGTH }),
})

/** Accepting an invitation with a name, and a password or a passkey. Opening the link changes nothing. */
export async function acceptRoutes(app: Server, options: SignInOptions): Promise<void> {
  const { runtime } = options
  acceptForms(app)
  const limited: GuessLimiter<OpenInvitation> = limitGuesses()
  const open = (token: string, address: string) => limited(address, () => openInvitation(runtime, token))
  // The origin is known only once the server listens.
  const hasPasskeys = () => relyingPartyOf(runtime.config.publicUrl) !== undefined
  const uncached = (reply: FastifyReply) => reply.header('Cache-Control', 'no-store')

  app.get('/invitation/:token', { config, schema: { hide: true, params } }, async (request, reply) => {
    const { token } = request.params
    const invitation = await open(token, request.ip)
    return sendScreen(uncached(reply), acceptScreen({ token, invitation, passkeys: hasPasskeys() }))
  })

  app.post(
    '/invitation/:token',
    {
      config,
      schema: { hide: true, params, body: fieldsSchema },
      onRequest: async (request) => rejectCrossSite(request, runtime.config.publicUrl),
    },
    async (request, reply) => {
      const { token } = request.params
      const { body } = request
      const invitation = await open(token, request.ip)
      const principalId = await orFormError(() => {
        const input = checked(accountSchema, { ...filled(body, 'name'), password: textOf(body, 'password') })
        return acceptInvitation({ ...runtime, address: request.ip }, token, input)
      })
      if (principalId instanceof AppError) {
        if (principalId.code === 'link_invalid') throw principalId
        const failed = { fields: body, error: principalId }
        return sendScreen(uncached(reply), {
          ...acceptScreen({ token, invitation, passkeys: hasPasskeys(), failed }),
          status: 400,
        })
      }
      await startSession(request, reply, options, { principalId, keyId: null })
      return reply.redirect(firstScreen(invitation), 303)
    },
  )

  firstPasskeyRoutes(app, options, {
    url: '/invitation/:token',
    async account(token, { name }, address) {
      const { email } = await open(token, address)
      return { name, email }
    },
    async finish({ token, fields, passkey }, address) {
      const invitation = await open(token, address)
      const principalId = await acceptInvitation({ ...runtime, address }, token, {
        name: fields.name,
        passkey,
      })
      return { principalId, url: firstScreen(invitation) }
    },
  })
}

function firstScreen({ spaces: [first] }: OpenInvitation): string {
  return first ? spaceUrl(first.slug) : HOME
}
