import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type CreatedPasskey, firstPasskeyOptions } from '../../../identity/people/new-sign-in.ts'
import { MAX_EMAIL_LENGTH } from '../../../identity/principals/email.ts'
import { rejectCrossSite } from '../../../identity/sessions/cross-site.ts'
import { line, text } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { browserName } from '../account/security-view.ts'
import { type Html, html, t } from '../html.ts'
import { keepChallenge, keptChallenge } from '../sign-in/passkey-cookie.ts'
import { type SignInOptions, startSession } from '../sign-in/sign-in-routes.ts'

const config = { public: true }
const params = Type.Object({ token: Type.String({ maxLength: 100 }) })
const MAX_BYTES = 64 * 1024

const account = {
  name: line({ minLength: 1, maxLength: 200 }),
  email: Type.Optional(text({ maxLength: MAX_EMAIL_LENGTH })),
}
const optionsBody = Type.Object(account)
const body = Type.Object({ ...account, response: Type.Unsafe<RegistrationResponseJSON>({ type: 'object' }) })

/** The fields of the form that describe the account; an invitation has the e-mail address. */
export type AccountFields = Static<typeof optionsBody>

/** A link whose holder may create a passkey instead of choosing a password. */
interface LinkKind {
  /** Such as `/link/:token`. */
  readonly url: string
  /** The account of the link; throws if the link or the fields are not valid. */
  account(
    token: string,
    fields: AccountFields,
    address: string,
  ): Promise<{ readonly id?: string; readonly name: string; readonly email: string }>
  /** Uses the link; returns the account and the next screen. */
  finish(
    use: { readonly token: string; readonly fields: AccountFields; readonly passkey: CreatedPasskey },
    address: string,
  ): Promise<{ readonly principalId: string; readonly url: string }>
}

/** The requests of the script that creates a passkey for the holder of a link. */
export function firstPasskeyRoutes(app: Server, options: SignInOptions, kind: LinkKind): void {
  const { runtime } = options
  const common = {
    config,
    bodyLimit: MAX_BYTES,
    onRequest: async (request: FastifyRequest) => rejectCrossSite(request, runtime.config.publicUrl),
  }
  app.post(
    `${kind.url}/passkey/options`,
    { ...common, schema: { hide: true, params, body: optionsBody } },
    async (request, reply) => {
      const { token } = request.params
      const account = await kind.account(token, request.body, request.ip)
      const deps = { ...runtime, address: request.ip }
      const { options, sealed } = await firstPasskeyOptions(deps, { token, ...account })
      return keepChallenge(reply, runtime.config.publicUrl, sealed).send(options)
    },
  )
  app.post(`${kind.url}/passkey`, { ...common, schema: { hide: true, params, body } }, async (request, reply) => {
    const { response, ...fields } = request.body
    const name = browserName(request.headers['user-agent'] ?? null)
    const passkey = { sealed: keptChallenge(request, reply, runtime.config.publicUrl), response, name }
    const { token } = request.params
    const { principalId, url } = await kind.finish({ token, fields, passkey }, request.ip)
    await startSession(request, reply, options, { principalId, keyId: null })
    return reply.code(201).send({ url })
  })
}

/** The button that creates a passkey from the fields of the form around it; a script shows it. */
export function firstPasskeyButton(path: string, text: string): Html {
  return html`<div class="field" data-passkey="create" data-options="${path}/passkey/options"
    data-url="${path}/passkey" hidden>
<p>${t('Or without a password, with the screen lock of your device or a security key:')}</p>
<div><button class="button" type="button">${text}</button></div>
<p role="status"></p>
</div>`
}
