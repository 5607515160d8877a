import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../../contract/src/errors.ts'
import { onClosed } from './on-closed.ts'
import type { Server } from './server.ts'
import { addSendHook } from './sync-hook.ts'

const completions = new WeakMap<FastifyRequest, (() => void)[]>()

/**
 * Calls `release` once the request is answered and its response is closed: a client that leaves early frees nothing
 * while
 * the service still works for it.
 */
export function onCompleted(request: FastifyRequest, reply: FastifyReply, release: () => void): void {
  const complete = () => void onClosed(reply, release)
  const others = completions.get(request)
  if (others) others.push(complete)
  else completions.set(request, [complete])
}

/**
 * Observes when responses are sent, for `onCompleted`, and ends requests whose client left before their body is read.
 * Node
 * has destroyed such a body, even one that had arrived: its reader would wait for ever.
 */
export function followResponses(app: Server): void {
  addSendHook(app, (request) => {
    for (const complete of completions.get(request) ?? []) complete()
    completions.delete(request)
  })
  app.addHook('preParsing', (_request, reply, payload, done) => {
    if (reply.raw.destroyed) done(clientLeft())
    else done(null, payload)
  })
}

/** Throws if the rest of a body cannot be read, because its client left. */
export function requireReadable(body: Readable): void {
  if (body.destroyed && !body.readableEnded) throw clientLeft()
}

function clientLeft(): AppError {
  return new AppError('invalid_request', 'The client closed the connection before its request was read.')
}
