import type { FastifyReply, FastifyRequest } from 'fastify'
import { statusOf } from '../http/problem.ts'
import type { Html } from './html.ts'
import { type Attempt, type Fields, isMendable, type Screen, sendScreen } from './screen.ts'

/** What a screen shows beside what it always shows: a new secret, or why there is none. */
export interface SecretShown {
  readonly secret?: Html
  readonly attempt?: Attempt
}

/**
 * Makes a secret and shows it, this once: the answer to the form itself, kept by nobody. There is no address that would
 * show it again, so the browser is not sent on as after other forms.
 */
export async function showSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  form: {
    readonly make: () => Promise<Html>
    readonly screen: (shown: SecretShown) => Promise<Screen>
  },
): Promise<FastifyReply> {
  try {
    const secret = await form.make()
    const screen = await form.screen({ secret })
    return sendScreen(reply.code(201).header('Cache-Control', 'no-store'), screen)
  } catch (error) {
    if (!isMendable(error)) throw error
    const attempt = { fields: request.body as Fields, error } // of a form route
    return sendScreen(reply.code(statusOf(error.code)), await form.screen({ attempt }))
  }
}
