import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { Type } from 'typebox'
import type { PasskeySignIn } from '../../../identity/people/passkeys/sign-in.ts'
import { rejectCrossSite } from '../../../identity/sessions/cross-site.ts'
import { safeNext } from '../../../identity/sessions/safe-next.ts'
import type { Server } from '../../../platform/http/server.ts'
import { keepChallenge, keptChallenge } from './passkey-cookie.ts'
import { type SignInOptions, startSession } from './sign-in-routes.ts'

/** The sign-in may be a step of connecting an app. */
const config = { public: true, isOauth: true }
const body = Type.Object({
  response: Type.Unsafe<AuthenticationResponseJSON>({ type: 'object' }),
  next: Type.Optional(Type.String()),
})
const MAX_BYTES = 64 * 1024

export async function passkeySignInRoutes(
  app: Server,
  options: SignInOptions & { readonly passkeys: PasskeySignIn },
): Promise<void> {
  const { runtime, passkeys } = options
  const onRequest = async (request: Parameters<typeof rejectCrossSite>[0]) =>
    rejectCrossSite(request, runtime.config.publicUrl)

  app.post('/sign-in/passkey/options', { config, schema: { hide: true }, onRequest }, async (_, reply) => {
    const { options, sealed } = await passkeys.options()
    return keepChallenge(reply, runtime.config.publicUrl, sealed).send(options)
  })

  app.post(
    '/sign-in/passkey',
    { config, schema: { hide: true, body }, bodyLimit: MAX_BYTES, onRequest },
    async (request, reply) => {
      const sealedChallenge = keptChallenge(request, reply, runtime.config.publicUrl)
      const principalId = await passkeys.signIn(
        { sealed: sealedChallenge, response: request.body.response },
        request.ip,
      )
      await startSession(request, reply, options, { principalId, keyId: null })
      return reply.send({ url: safeNext(request.body.next) })
    },
  )
}
