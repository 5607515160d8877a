import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest, preValidationHookHandler, RouteOptions } from 'fastify'
import { SESSION_SECONDS } from '../credentials/find-caller.ts'
import { isSafe } from './cross-site.ts'
import { cookieHeader, cookieIn, hostCookieName } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a streamed form: the handler calls `checkFormToken` with its field `csrf`. */
    readonly checksFormToken?: true
  }
  interface FastifyRequest {
    /** The state of the check, if the request has a session cookie. */
    csrf: CsrfCheck | undefined
    /** The field `csrf` of a form, which its parser removes. */
    formToken: string | undefined
  }
}

interface CsrfCheck {
  readonly token: string
  /** Whether the token is expected as a field of the body. */
  readonly isDue: boolean
}

/** Domain separation: distinguishes these tokens from anything else derived from a session's token. */
const LABEL = 'recto csrf 1'
/** Twice the 32 bytes of a token, in base64url. */
const MASKED = /^[\w-]{86}$/
const FORM = /^application\/x-www-form-urlencoded\b/i

/** The name of the cookie from which our scripts read the token. */
function csrfCookieName(publicUrl: string): string {
  return hostCookieName('recto_csrf', publicUrl)
}

/** The CSRF token of a session, derived from the session's token, which no page and no script can read. */
export function deriveCsrfToken(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update(LABEL).digest('base64url')
}

/** `Set-Cookie` with the token of a session, for scripts. */
export function csrfCookie(publicUrl: string, sessionToken: string): string {
  return cookieHeader(publicUrl, {
    name: csrfCookieName(publicUrl),
    value: deriveCsrfToken(sessionToken),
    seconds: SESSION_SECONDS,
    readable: true,
  })
}

/** `Set-Cookie` that ends it. */
export function endedCsrfCookie(publicUrl: string): string {
  return cookieHeader(publicUrl, { name: csrfCookieName(publicUrl), value: '', seconds: 0, readable: true })
}

/**
 * The token for forms in the response, masked anew for each; undefined if the request has no session. So compressed
 * screens can be sent: their size tells nothing about the token (BREACH).
 */
export function csrfToken(request: FastifyRequest): string | undefined {
  return request.csrf === undefined ? undefined : maskToken(request.csrf.token)
}

/** A one-time pad and its XOR with the token, as Django and Rails mask theirs. */
function maskToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  const pad = randomBytes(bytes.length)
  return Buffer.concat([pad, xor(pad, bytes)]).toString('base64url')
}

/** The token in its masked form; anything else as it is. */
function unmaskToken(sentToken: string): string {
  if (!MASKED.test(sentToken)) return sentToken
  const bytes = Buffer.from(sentToken, 'base64url')
  const half = bytes.length / 2
  return xor(bytes.subarray(0, half), bytes.subarray(half)).toString('base64url')
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))
}

/** Checks the token in forms of routes that change something, after they are parsed and before they are processed. */
export function checkFormTokens(route: RouteOptions): void {
  if (route.config?.checksFormToken || [route.method].flat().every(isSafe)) return
  const check: preValidationHookHandler = (request, _reply, done) => {
    checkFormToken(request, request.formToken)
    done()
  }
  route.preValidation = [check, route.preValidation ?? []].flat()
}

/** Rejects a form of a session without its token with `csrf_token_invalid`. */
export function checkFormToken({ csrf }: FastifyRequest, sentToken: string | undefined): void {
  if (csrf?.isDue && !isSame(sentToken, csrf.token)) throw csrfError()
}

/**
 * For a request with a valid session: rejects with `csrf_token_invalid` an unsafe one without a token, now or once
 * its form is parsed; sets the cookie if the browser has none, or another session's.
 */
export function expectCsrfToken(
  request: FastifyRequest,
  reply: FastifyReply,
  session: { readonly token: string; readonly publicUrl: string },
): void {
  const { headers, method } = request
  const token = deriveCsrfToken(session.token)
  if (cookieIn(headers.cookie, csrfCookieName(session.publicUrl)) !== token) {
    reply.header('Set-Cookie', csrfCookie(session.publicUrl, session.token))
  }
  const sentToken = headers['x-csrf-token']
  const isDue = !isSafe(method) && sentToken === undefined
  const isForm = FORM.test(headers['content-type'] ?? '') || request.routeOptions.config.checksFormToken
  if (isDue && !isForm) throw csrfError()
  if (!isSafe(method) && sentToken !== undefined && !isSame(sentToken, token)) throw csrfError()
  request.csrf = { token, isDue }
}

function isSame(sentToken: string | readonly string[] | undefined, token: string): boolean {
  const bytes = Buffer.from(unmaskToken(String(sentToken ?? '')))
  const expectedToken = Buffer.from(token)
  return bytes.length === expectedToken.length && timingSafeEqual(bytes, expectedToken)
}

function csrfError(): AppError {
  const detail =
    'The request came by cookie and does not carry the token of the session: load the page again, and send what the ' +
    'cookie `recto_csrf` holds as the header `X-CSRF-Token`, or in the field `csrf` of a form.'
  return new AppError('csrf_token_invalid', detail)
}
