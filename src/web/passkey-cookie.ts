import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieHeader, cookieIn, hostCookieName } from '../access/sessions/session-cookie.ts'
import { CHALLENGE_SECONDS } from '../people/passkeys/challenges.ts'

const NAME = 'svc_passkey'

/** Keeps a sealed challenge in the browser that it is for. */
export function keepChallenge(reply: FastifyReply, publicUrl: string, sealed: string): FastifyReply {
  const name = hostCookieName(NAME, publicUrl)
  const cookie = cookieHeader(publicUrl, { name, value: sealed, seconds: CHALLENGE_SECONDS })
  return reply.header('Cache-Control', 'no-store').header('Set-Cookie', cookie)
}

/** The challenge that the browser kept, which it forgets: one answer for each. */
export function keptChallenge(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): string | undefined {
  const name = hostCookieName(NAME, publicUrl)
  reply.header('Cache-Control', 'no-store')
  reply.header('Set-Cookie', cookieHeader(publicUrl, { name, value: '', seconds: 0 }))
  return cookieIn(request.headers.cookie, name)
}
