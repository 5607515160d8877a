import type { FastifyReply, FastifyRequest } from 'fastify'
import { CHALLENGE_SECONDS } from '../../../identity/people/passkeys/challenges.ts'
import { cookieHeader, cookieIn, hostCookieName } from '../../../identity/sessions/session-cookie.ts'

const NAME = 'svc_passkey'

/** The cookie with the encrypted challenge. */
export function keepChallenge(reply: FastifyReply, publicUrl: string, sealedChallenge: string): FastifyReply {
  const name = hostCookieName(NAME, publicUrl)
  const cookie = cookieHeader(publicUrl, { name, value: sealedChallenge, seconds: CHALLENGE_SECONDS })
  return reply.header('Cache-Control', 'no-store').header('Set-Cookie', cookie)
}

/** The challenge in the cookie, which is deleted: each is valid for one response. */
export function keptChallenge(request: FastifyRequest, reply: FastifyReply, publicUrl: string): string | undefined {
  const name = hostCookieName(NAME, publicUrl)
  reply.header('Cache-Control', 'no-store')
  reply.header('Set-Cookie', cookieHeader(publicUrl, { name, value: '', seconds: 0 }))
  return cookieIn(request.headers.cookie, name)
}
