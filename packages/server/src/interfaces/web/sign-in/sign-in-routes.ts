import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import type { Runtime } from '../../../access/ctx.ts'
import { readScreenSettings } from '../../../identity/people/appearance.ts'
import type { ForgottenPasswords } from '../../../identity/people/forgotten.ts'
import { toRelyingParty } from '../../../identity/people/passkeys/challenges.ts'
import { MAX_PASSWORD_LENGTH } from '../../../identity/people/password-rules.ts'
import type { Passwords } from '../../../identity/people/passwords.ts'
import type { Authenticator } from '../../../identity/principals/authenticate.ts'
import { readSessionToken } from '../../../identity/principals/authentication.ts'
import { MAX_EMAIL_LENGTH } from '../../../identity/principals/email.ts'
import { rejectCrossSite } from '../../../identity/sessions/cross-site.ts'
import { csrfCookie, endedCsrfCookie, expectCsrfToken } from '../../../identity/sessions/csrf.ts'
import { safeNext } from '../../../identity/sessions/safe-next.ts'
import { endedCookie, sessionCookie } from '../../../identity/sessions/session-cookie.ts'
import {
  endAllSessions,
  endSession,
  openSession,
  recordRejectedKey,
  type SessionDeps,
} from '../../../identity/sessions/sessions.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { text } from '../../../platform/http/schemas.ts'
import { keepAppearance } from '../account/appearance.ts'
import { acceptForms } from '../forms.ts'
import { t } from '../html.ts'
import { sendHtml } from '../screen.ts'
import { SIGN_IN } from '../urls.ts'
import { type SignInView, signInDocument } from './sign-in-view.ts'

export interface SignInOptions {
  readonly runtime: Runtime
  readonly authenticator: Authenticator
  readonly passwords: Passwords
  /** Absent if no mail is sent. */
  readonly forgotten?: ForgottenPasswords | undefined
  /** The name of the identity provider, if there is one. */
  readonly provider?: string | undefined
}

/** The sign-in may be a step of connecting an app. */
const config = { public: true, isOauth: true }
const hiddenSchema = { hide: true }
const passwordBody = Type.Object({
  email: text({ maxLength: MAX_EMAIL_LENGTH }),
  password: text({ maxLength: 4 * MAX_PASSWORD_LENGTH }),
  next: Type.Optional(Type.String()),
})
const nextQuery = Type.Object({ next: Type.Optional(Type.String()) })

/** Signing in with a password or a key typed into a form, and signing out. */
export const signInRoutes = registerRoutes<SignInOptions>(
  acceptForms,
  (app, options) =>
    app.get('/sign-in', { config, schema: { ...hiddenSchema, querystring: nextQuery } }, async (request, reply) => {
      const caller = await readSession(request, reply, options)
      return show(reply, options, { next: safeNext(request.query.next), name: caller?.name })
    }),
  (app, options) =>
    app.post(
      '/sign-in',
      {
        config,
        schema: {
          ...hiddenSchema,
          body: Type.Object({ key: Type.String({ maxLength: 1000 }), next: Type.Optional(Type.String()) }),
        },
        // Protects against login CSRF.
        onRequest: async (request) => rejectCrossSite(request, options.runtime.config.publicUrl),
      },
      async (request, reply) => {
        const next = safeNext(request.body.next)
        const key = request.body.key.trim()
        const caller = await options.authenticator.byKey(key, request.ip)
        if (!caller) {
          await recordRejectedKey(sessionDeps(request, options.runtime), key)
          reply.code(401).header('WWW-Authenticate', 'Bearer realm="recto", error="invalid_token"')
          return show(reply, options, {
            next,
            tried: 'key',
            error: t('This API key is not valid. It may be mistyped, revoked or expired.'),
          })
        }
        await startSession(request, reply, options, { principalId: caller.id, keyId: caller.keyId })
        return reply.redirect(next, 303)
      },
    ),
  (app, options) =>
    app.post(
      '/sign-in/password',
      {
        config,
        schema: { ...hiddenSchema, body: passwordBody },
        onRequest: async (request) => rejectCrossSite(request, options.runtime.config.publicUrl),
      },
      async (request, reply) => {
        const { email } = request.body
        const next = safeNext(request.body.next)
        const principalId = await options.passwords.signIn(request.body, request.ip)
        if (principalId === undefined) {
          // The same for an account that is absent, disabled or has no password.
          const error = t('This e-mail address and password do not match an account.')
          return show(reply.code(401), options, { next, email, tried: 'password', error })
        }
        await startSession(request, reply, options, { principalId, keyId: null })
        return reply.redirect(next, 303)
      },
    ),
  (app, options) =>
    app.post(
      '/sign-out',
      {
        config,
        schema: { ...hiddenSchema, body: Type.Object({ everywhere: Type.Optional(Type.Literal('1')) }) },
        onRequest: async (request, reply) => {
          rejectCrossSite(request, options.runtime.config.publicUrl)
          await readSession(request, reply, options)
        },
        preValidation: async (request) => {
          request.body ??= {}
        },
      },
      async (request, reply) => {
        const token = readSessionToken(request, options.runtime.config.publicUrl)
        const caller = token === undefined ? undefined : await options.authenticator.bySession(token)
        if (caller && request.body.everywhere) await endAllSessions(sessionDeps(request, options.runtime), caller.id)
        await dropSession(request, options)
        return (
          reply
            .removeHeader('Set-Cookie')
            .header('Cache-Control', 'no-store')
            .header('Set-Cookie', endedCookie(options.runtime.config.publicUrl))
            .header('Set-Cookie', endedCsrfCookie(options.runtime.config.publicUrl))
            // The stored data of this origin belongs to the session: pages in the cache, drafts, the offline screen.
            .header('Clear-Site-Data', '"cache", "storage"')
            .redirect(SIGN_IN, 303)
        )
      },
    ),
)

/** The session of the browser, which then needs its CSRF token for changes. */
export async function readSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { runtime, authenticator }: SignInOptions,
): Promise<Caller | undefined> {
  const { publicUrl } = runtime.config
  const token = readSessionToken(request, publicUrl)
  const caller = token === undefined ? undefined : await authenticator.bySession(token)
  if (caller && token !== undefined) expectCsrfToken(request, reply, { token, publicUrl })
  return caller
}

function show(reply: FastifyReply, { provider, runtime }: SignInOptions, view: SignInView): FastifyReply {
  const passkeys = toRelyingParty(runtime.config.publicUrl) !== undefined
  return sendHtml(reply.header('Cache-Control', 'no-store'), signInDocument({ ...view, provider, passkeys }))
}

/** Creates a new session and ends the previous one of the browser (against session fixation). */
export async function startSession(
  request: FastifyRequest,
  reply: FastifyReply,
  options: SignInOptions,
  who: { readonly principalId: string; readonly keyId: string | null; readonly confirmed?: boolean },
): Promise<void> {
  const { runtime } = options
  const { publicUrl } = runtime.config
  await dropSession(request, options)
  const token = await openSession(sessionDeps(request, runtime), {
    confirmed: true,
    ...who,
    userAgent: request.headers['user-agent'],
  })
  reply
    .header('Cache-Control', 'no-store')
    .header('Set-Cookie', sessionCookie(publicUrl, token))
    .header('Set-Cookie', csrfCookie(publicUrl, token))
  keepAppearance(request, reply, {
    publicUrl,
    appearance: (await readScreenSettings(runtime.db, who.principalId)).appearance,
  })
}

async function dropSession(request: FastifyRequest, { runtime, authenticator }: SignInOptions): Promise<void> {
  const token = readSessionToken(request, runtime.config.publicUrl)
  if (token === undefined) return
  await endSession(sessionDeps(request, runtime), token)
  authenticator.forgetSession(token)
}

function sessionDeps({ ip }: FastifyRequest, { db, now }: Runtime): SessionDeps {
  return { db, now, address: ip }
}
