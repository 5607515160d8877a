import { Readable } from 'node:stream'
import { inRequest, RequestScope } from '../database/connections/request-scope.ts'
import { onClosed } from './on-closed.ts'
import { followResponses } from './on-completed.ts'
import type { Server } from './server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined before the hooks run. */
    scope: RequestScope | undefined
  }
}

const SAFE = new Set(['GET', 'HEAD'])

/** Runs each request in an async context that identifies it and has the state of its client. */
export function scopeRequests(app: Server): void {
  app.decorateRequest('scope', undefined)
  followResponses(app)
  app.addHook('onRequest', (request, reply, done) => {
    const scope = new RequestScope({ readsOnly: SAFE.has(request.method) })
    request.scope = scope
    if (request.routeOptions.config.streamsBody) scope.streams()
    onClosed(reply, () => {
      if (!reply.raw.writableFinished) scope.leave()
    })
    inRequest(scope, done)
  })
  // The listeners of a received body have lost the context.
  app.addHook('preValidation', ({ scope }, _reply, done) => {
    if (!scope) return done()
    scope.answered()
    inRequest(scope, done)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) {
      request.scope?.streams()
      // Nobody reads the stream of a response to HEAD to its end, which may never come.
      onClosed(reply, () => payload.destroy())
    }
    done()
  })
}
