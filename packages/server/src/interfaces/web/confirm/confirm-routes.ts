import { AppError, inputError } from '@recto/contract/errors.ts'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ownSignInMethods } from '../../../identity/people/own-methods.ts'
import { toRelyingParty } from '../../../identity/people/passkeys/challenges.ts'
import type { PasskeySignIn, PasskeyUse } from '../../../identity/people/passkeys/sign-in.ts'
import type { Passwords } from '../../../identity/people/passwords.ts'
import type { Authenticator } from '../../../identity/principals/authenticate.ts'
import { confirmSession, isConfirmed } from '../../../identity/sessions/confirmation.ts'
import { safeNext } from '../../../identity/sessions/safe-next.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { type Fields, fieldsSchema, readText } from '../fields.ts'
import { orFormError, type Screen, screenRoute, sendFailed } from '../screen.ts'
import { keepChallenge, keptChallenge } from '../sign-in/passkey-cookie.ts'
import { CONFIRM, CONFIRMED } from '../urls.ts'
import { CONFIRM_FIELDS, type ConfirmView, confirmedScreen, confirmScreen, type PendingForm } from './confirm-view.ts'

const query = Type.Object({ next: Type.Optional(Type.String()) })
const body = Type.Object({ response: Type.Unsafe<AuthenticationResponseJSON>({ type: 'object' }) })
const MAX_BYTES = 64 * 1024

/** It may be a step of connecting an app. */
const config = { isOauth: true }

interface ConfirmDeps {
  readonly authenticator: Authenticator
  readonly passwords: Passwords
  readonly passkeys: PasskeySignIn
}

/** Asking for the password or the passkey again, before actions that a stolen session must not take. */
export const confirmRoutes = registerRoutes<ConfirmDeps>(
  screenRoute(CONFIRM, {
    query,
    config,
    view: (request) => confirmation(request, { next: safeNext(request.query.next) }),
  }),
  screenRoute(CONFIRMED, { config, view: async ({ ctx }) => confirmedScreen(await isConfirmed(ctx)) }),
  (app, deps) =>
    app.post(CONFIRM, { config, schema: { hide: true, body: fieldsSchema } }, async (request, reply) => {
      const { body } = request
      reply.header('Cache-Control', 'no-store')
      const { url, next } = CONFIRM_FIELDS
      const result = await orFormError(() => confirm(request, body, deps))
      if (result instanceof AppError) {
        const failed = { fields: body, error: result }
        const confirmView = { next: safeNext(readText(body, next)), pending: pendingIn(body), failed }
        return sendFailed(reply, result, await confirmation(request, confirmView))
      }
      // The browser sends the form once more, to the action that it was for.
      if (url in body) return reply.redirect(safeNext(readText(body, url)), 307)
      return reply.redirect(safeNext(readText(body, next)), 303)
    }),
  (app, { passkeys }) =>
    app.post('/confirm/passkey/options', { config, schema: { hide: true } }, async ({ ctx }, reply) => {
      const { options, sealed } = await passkeys.options(toUse(ctx))
      return keepChallenge(reply, ctx.config.publicUrl, sealed).send(options)
    }),
  (app, { passkeys }) =>
    app.post(
      '/confirm/passkey',
      { config, schema: { hide: true, body }, bodyLimit: MAX_BYTES },
      async (request, reply) => {
        const { ctx } = request
        const sealedChallenge = keptChallenge(request, reply, ctx.config.publicUrl)
        const input = { sealed: sealedChallenge, response: request.body.response }
        await passkeys.signIn(input, request.ip, toUse(ctx))
        await confirmSession(ctx)
        return reply.send({})
      },
    ),
)

/** Confirms the session by what was typed; a passkey, or another window, may have done so already. */
async function confirm(
  request: FastifyRequest,
  body: Fields,
  { authenticator, passwords }: ConfirmDeps,
): Promise<void> {
  const { ctx } = request
  const { password, key } = CONFIRM_FIELDS
  const [typed, typedKey] = [readText(body, password), readText(body, key).trim()]
  if (typed !== '') return passwords.confirm(ctx, typed)
  if (typedKey !== '') {
    const caller = await authenticator.byKey(typedKey, request.ip)
    // A session of a key has its permissions: no other key confirms it.
    if (caller?.keyId === ctx.actor.keyId && caller.id === ctx.actor.id) return confirmSession(ctx)
    const detail = 'This is not the API key with which you signed in.'
    throw inputError('invalid_request', detail, `/${key}`, 'is another one')
  }
  if (await isConfirmed(ctx)) return
  throw inputError('invalid_request', 'You have not confirmed yet.', `/${password}`, 'is needed')
}

/** A challenge of one session does not confirm another. */
function toUse({ actor: { id: principalId, sessionId } }: FastifyRequest['ctx']): PasskeyUse {
  if (sessionId !== undefined) return { purpose: `confirm/${sessionId}`, principalId }
  throw new AppError('invalid_request', 'Only browser sessions are confirmed.')
}

/** The screen for a request; `pending` is the form that was rejected. */
export async function confirmation(request: FastifyRequest, view: Omit<ConfirmView, 'methods'>): Promise<Screen> {
  const { ctx } = request
  const { password, passkey } = await ownSignInMethods(ctx)
  const { oidc, publicUrl } = ctx.config
  return confirmScreen({
    methods: {
      password,
      passkey: passkey && toRelyingParty(publicUrl) !== undefined,
      key: ctx.actor.keyId !== null,
      provider: oidc && new URL(oidc.issuer).host,
    },
    ...view,
  })
}

function pendingIn(fields: Fields): PendingForm | undefined {
  const { url, next, password, key } = CONFIRM_FIELDS
  const { [url]: action, [next]: _next, [password]: _password, [key]: _key, ...rest } = fields
  return typeof action === 'string' ? { url: safeNext(action), fields: rest } : undefined
}
