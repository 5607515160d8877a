import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { toRelyingParty } from '../../../identity/people/passkeys/challenges.ts'
import { listOwnPasskeys, removeOwnPasskey, renameOwnPasskey } from '../../../identity/people/passkeys/passkeys.ts'
import { registerPasskey, registrationOptions } from '../../../identity/people/passkeys/register.ts'
import { passkeyName } from '../../../identity/people/schema.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { checked, filled } from '../fields.ts'
import { formRoute, whenDone } from '../screen.ts'
import { keepChallenge, keptChallenge } from '../sign-in/passkey-cookie.ts'
import { ACCOUNT, withQuery } from '../urls.ts'
import type { PasskeysView } from './passkeys-view.ts'
import { browserName } from './security-view.ts'

const nameSchema = Type.Object({ name: passkeyName })
const body = Type.Object({ name: passkeyName, response: Type.Unsafe<RegistrationResponseJSON>({ type: 'object' }) })
const MAX_BYTES = 64 * 1024

/** The caller's passkeys: a script creates one; forms rename and delete it. */
export const passkeyScreenRoutes = registerRoutes(
  (app) =>
    app.post('/account/passkeys/options', { schema: { hide: true } }, async ({ ctx }, reply) => {
      const { options, sealed } = await registrationOptions(ctx)
      return keepChallenge(reply, ctx.config.publicUrl, sealed).send(options)
    }),
  (app) =>
    app.post('/account/passkeys', { schema: { hide: true, body }, bodyLimit: MAX_BYTES }, async (request, reply) => {
      const { ctx } = request
      const sealedChallenge = keptChallenge(request, reply, ctx.config.publicUrl)
      await registerPasskey(ctx, { ...request.body, sealed: sealedChallenge })
      return reply.code(201).send({ url: `${withQuery(ACCOUNT, { done: 'passkey' })}#passkeys` })
    }),
  formRoute('/account/passkeys/:id', {
    act: ({ ctx, params, body }) => {
      const { name } = checked(nameSchema, filled(body, 'name'))
      return whenDone(renameOwnPasskey(ctx, params.id, name), ACCOUNT, 'passkey-named')
    },
  }),
  formRoute('/account/passkeys/:id/remove', {
    act: ({ ctx, params }) => whenDone(removeOwnPasskey(ctx, params.id), ACCOUNT, 'passkey-removed'),
  }),
)

/** The passkeys on the screen of the account. */
export async function ownPasskeys({ ctx, headers }: FastifyRequest): Promise<PasskeysView> {
  return {
    passkeys: await listOwnPasskeys(ctx, { limit: 100 }),
    available: ctx.actor.sessionId !== undefined && toRelyingParty(ctx.config.publicUrl) !== undefined,
    name: browserName(headers['user-agent'] ?? null),
  }
}
