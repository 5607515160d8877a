import type { FastifyRequest } from 'fastify'
import { inRequest, RequestScope } from '../database/request-scope.ts'
import type { Server } from './server.ts'

const SAFE = new Set(['GET', 'HEAD'])

/** Has everything that a request does know which request it is, and whether its client still waits. */
export function scopeRequests(app: Server): void {
  const scopes = new WeakMap<FastifyRequest, RequestScope>()
  app.addHook('onRequest', (request, reply, done) => {
    const scope = new RequestScope({ readsOnly: SAFE.has(request.method) })
    scopes.set(request, scope)
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) scope.leave()
    })
    inRequest(scope, done)
  })
  // What is called when a body has arrived does not know any more whose it is.
  app.addHook('preValidation', (request, _reply, done) => {
    const scope = scopes.get(request)
    if (!scope) return done()
    scope.answered()
    inRequest(scope, done)
  })
}
