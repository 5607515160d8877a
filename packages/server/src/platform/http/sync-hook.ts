import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Server } from './server.ts'

type Phase = 'onRequest' | 'preValidation'

/**
 * Adds a hook that waits for nothing. It runs without a promise, which would cost more than most of these hooks do. What
 * it throws is the response.
 */
export function addSyncHook(
  app: Server,
  phase: Phase,
  hook: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const run = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    hook(request, reply)
    done()
  }
  if (phase === 'onRequest') app.addHook('onRequest', run)
  else app.addHook('preValidation', run)
}

/** The same for a hook before the response is sent, which leaves its payload as it is. */
export function addSendHook(app: Server, hook: (request: FastifyRequest, reply: FastifyReply) => void): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    hook(request, reply)
    done()
  })
}
