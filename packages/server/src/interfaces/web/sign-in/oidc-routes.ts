import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { joinFolders } from '../../../content/spaces/rules/grant-folder.ts'
import type { Mailer } from '../../../identity/people/mail.ts'
import { linkedMail } from '../../../identity/people/mail-texts.ts'
import { type SignedIn, signInWithProvider } from '../../../identity/people/oidc-account.ts'
import { CONFIRMATION_SECONDS, confirmSession } from '../../../identity/sessions/confirmation.ts'
import type { Attempt, Identity, Oidc } from '../../../identity/sessions/oidc.ts'
import { safeNext } from '../../../identity/sessions/safe-next.ts'
import { cookieHeader, cookieIn, hostCookieName } from '../../../identity/sessions/session-cookie.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { CONFIRMED, HOME, spaceUrl } from '../urls.ts'
import { readSession, type SignInOptions, startSession } from './sign-in-routes.ts'

const config = { public: true, isOauth: true }
const hiddenSchema = { hide: true }
const MAX_ATTEMPT_SECONDS = 10 * 60
const COOKIE = 'svc_sign_in'
/** The holder of an invitation chose the provider. */
const INVITATION = /^\/invitation\/(\w{1,100})$/
const providerQuery = Type.Object({
  next: Type.Optional(Type.String()),
  /** Asks the provider for a recent sign-in. */
  again: Type.Optional(Type.Literal('1')),
})

interface OidcOptions extends SignInOptions {
  readonly oidc: Oidc
  readonly mailer: Mailer | undefined
}

/** Signing in with an identity provider: the redirect to it, and the callback with a code. */
export const oidcRoutes = registerRoutes<OidcOptions>(
  (app, { runtime, oidc }) =>
    app.get(
      '/sign-in/oidc',
      { config, schema: { ...hiddenSchema, querystring: providerQuery } },
      async (request, reply) => {
        const { url, attempt } = await oidc.authorizationUrl(
          `${runtime.config.publicUrl}/sign-in/callback`,
          safeNext(request.query.next),
          request.query.again === '1' ? CONFIRMATION_SECONDS : undefined,
        )
        const value = Buffer.from(JSON.stringify(attempt)).toString('base64url')
        return reply
          .header('Cache-Control', 'no-store')
          .header('Set-Cookie', cookie(runtime.config.publicUrl, value, MAX_ATTEMPT_SECONDS))
          .redirect(url, 303)
      },
    ),
  (app, options) =>
    app.get('/sign-in/callback', { config, schema: hiddenSchema }, async (request, reply) => {
      const { runtime, oidc } = options
      const attempt = readAttempt(request, runtime.config.publicUrl)
      if (!attempt) throw new AppError('sign_in_failed', 'The sign-in was started in another browser or has expired.')
      // The state of an attempt is valid for one callback, successful or not.
      reply.header('Set-Cookie', cookie(runtime.config.publicUrl, '', 0))
      const url = new URL(request.originalUrl, runtime.config.publicUrl)
      const identity = await oidc.handleCallback(url, attempt)
      const { db, now } = runtime
      const deps = { db, config: runtime.config, now, address: request.ip, joinFolders }
      const [, invitation] = INVITATION.exec(attempt.next) ?? []
      const signedIn = await signInWithProvider(deps, oidc.config, identity, invitation)
      tellOfLink(options, identity, signedIn)
      // The window that waits has a form with the token of its session, which therefore goes on.
      const isWaiting = safeNext(attempt.next) === CONFIRMED
      const session = isWaiting ? await readSession(request, reply, options) : undefined
      if (session?.id === signedIn.account.id) {
        if (isRecent(identity, now())) await confirmSession({ ...deps, actor: session })
        return reply.redirect(CONFIRMED, 303)
      }
      await startSession(request, reply, options, {
        principalId: signedIn.account.id,
        keyId: null,
        confirmed: isRecent(identity, now()),
      })
      const next = invitation === undefined ? safeNext(attempt.next) : invitedTo(signedIn)
      return reply.redirect(next, 303)
    }),
)

function invitedTo({ invitations }: SignedIn): string {
  const [space] = invitations.flatMap(({ spaces }) => spaces)
  return space ? spaceUrl(space.slug) : HOME
}

/** By mail, which whoever has had the account reads. No sign-in waits for it; the mailer logs what it cannot send. */
function tellOfLink({ mailer, runtime }: OidcOptions, { issuer }: Identity, { account, link }: SignedIn): void {
  const { email, language } = account
  if (link === undefined || email === null) return
  const about = { provider: new URL(issuer).host, publicUrl: runtime.config.publicUrl, ended: link === 'ended' }
  void mailer?.send(() => linkedMail(email, about), language)
}

/** Whether the provider says that the person has signed in within the last minutes, and not by a session of its own. */
function isRecent({ claims: { auth_time: at } }: Identity, now: Date): boolean {
  return typeof at === 'number' && now.getTime() / 1000 - at < CONFIRMATION_SECONDS
}

function cookie(publicUrl: string, value: string, seconds: number): string {
  return cookieHeader(publicUrl, { name: hostCookieName(COOKIE, publicUrl), value, seconds })
}

/** The state that the browser kept; it is untrusted, and only compared with that of the provider. */
function readAttempt(request: FastifyRequest, publicUrl: string): Attempt | undefined {
  const value = cookieIn(request.headers.cookie, hostCookieName(COOKIE, publicUrl))
  if (value === undefined) return undefined
  try {
    const { state, nonce, verifier, next } = JSON.parse(Buffer.from(value, 'base64url').toString())
    const texts = [state, nonce, verifier, next]
    return texts.every((text) => typeof text === 'string' && text !== '') ? { state, nonce, verifier, next } : undefined
  } catch {
    // Not written by this service: treated as absent.
    return undefined
  }
}
