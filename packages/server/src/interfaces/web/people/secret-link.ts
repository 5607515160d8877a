import { AppError } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { CreatedPasskey } from '../../../identity/people/new-sign-in.ts'
import { toRelyingParty } from '../../../identity/people/passkeys/challenges.ts'
import { createFailureLimiter } from '../../../identity/principals/failure-limiter.ts'
import { rejectCrossSite } from '../../../identity/sessions/cross-site.ts'
import type { Server } from '../../../platform/http/server.ts'
import { type Fields, fieldsSchema } from '../fields.ts'
import { acceptForms } from '../forms.ts'
import { type FailedForm, orFormError, type Screen, sendScreen } from '../screen.ts'
import { type SignInOptions, startSession } from '../sign-in/sign-in-routes.ts'
import { type AccountFields, firstPasskeyRoutes } from './first-passkey.ts'

/** What the form of a link shows. */
export interface LinkForm<Link> {
  readonly token: string
  readonly link: Link
  /** Whether browsers can have passkeys here. */
  readonly passkeys: boolean
  readonly failed?: FailedForm
}

/** A kind of link with a secret, whose holder signs in for the first time, or anew. */
interface SecretLink<Link, Input> {
  /** Such as `/link/:token`. */
  readonly url: string
  /** Throws `link_invalid`. */
  open(token: string): Promise<Link>
  screen(form: LinkForm<Link>): Screen
  /** The input of a form with a password. */
  input(fields: Fields): Input
  /** The account that a passkey is created for; throws if the link or the fields are not valid. */
  account(link: Link, fields: AccountFields): { readonly id?: string; readonly name: string; readonly email: string }
  /** Uses the link, and returns the id of the account. */
  use(
    token: string,
    input: Input | (AccountFields & { readonly passkey: CreatedPasskey }),
    address: string,
  ): Promise<string>
  /** The URL of the first screen. */
  next(link: Link): string
}

const config = { public: true }
const params = Type.Object({ token: Type.String({ maxLength: 100 }) })

type Open<Link> = (token: string, address: string) => Promise<Link>

/**
 * The screen of a link, its form, and the requests for a passkey. Opening a link changes nothing, because mail programs
 * do that.
 */
export function secretLinkRoutes<Link, Input>(
  app: Server,
  options: SignInOptions,
  kind: SecretLink<Link, Input>,
): void {
  const open = limitGuesses(kind)
  acceptForms(app)
  formRoutes(app, options, kind, open)
  firstPasskeyRoutes(app, options, {
    url: kind.url,
    account: async (token, fields, address) => kind.account(await open(token, address), fields),
    async finish({ token, fields, passkey }, address) {
      const link = await open(token, address)
      const principalId = await kind.use(token, { ...fields, passkey }, address)
      return { principalId, url: kind.next(link) }
    },
  })
}

/** Opens a link for a client address; throws `too_many_requests` after too many invalid ones. */
function limitGuesses<Link>(kind: Pick<SecretLink<Link, never>, 'open'>): Open<Link> {
  const guesses = createFailureLimiter()
  return async (token, address) => {
    const end = await guesses.begin(address)
    try {
      const link = await kind.open(token)
      end(0)
      return link
    } catch (error) {
      end(error instanceof AppError && error.code === 'link_invalid' ? 1 : 0)
      throw error
    }
  }
}

function formRoutes<Link, Input>(
  app: Server,
  options: SignInOptions,
  kind: SecretLink<Link, Input>,
  open: Open<Link>,
): void {
  const { config: settings } = options.runtime
  const schema = { hide: true, params }
  const onRequest = async (request: FastifyRequest) => rejectCrossSite(request, settings.publicUrl)
  const send = (reply: FastifyReply, form: Omit<LinkForm<Link>, 'passkeys'>) => {
    // The origin is known only once the server listens.
    const passkeys = toRelyingParty(settings.publicUrl) !== undefined
    const screen = kind.screen({ ...form, passkeys })
    const status = form.failed ? 400 : 200
    return sendScreen(reply.header('Cache-Control', 'no-store'), { ...screen, status })
  }

  app.get(kind.url, { config, schema }, async (request, reply) => {
    const { token } = request.params
    return send(reply, { token, link: await open(token, request.ip) })
  })

  const acceptForm = { config, schema: { ...schema, body: fieldsSchema }, onRequest }
  app.post(kind.url, acceptForm, async (request, reply) => {
    const { token } = request.params
    const { body, ip } = request
    const link = await open(token, ip)
    const principalId = await orFormError(() => kind.use(token, kind.input(body), ip))
    if (principalId instanceof AppError) {
      if (principalId.code === 'link_invalid') throw principalId
      return send(reply, { token, link, failed: { fields: body, error: principalId } })
    }
    await startSession(request, reply, options, { principalId, keyId: null })
    return reply.redirect(kind.next(link), 303)
  })
}
