import type { Server } from '../http/server.ts'
import type { Authenticator } from './authenticate.ts'
import type { Ctx, Runtime } from './ctx.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, with what the process holds. Absent only on routes that are public. */
    ctx: Ctx
  }
  interface FastifyContextConfig {
    /** Whether the route answers without a credential. */
    public?: boolean
  }
}

/** Every route that does not say `public` needs a credential: one hook for all of them. */
export function authenticateRequests(app: Server, runtime: Runtime, authenticator: Authenticator): void {
  app.decorateRequest('ctx')
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.public || request.is404) return
    const actor = await authenticator.byHeader(request.headers.authorization)
    request.ctx = { ...runtime, actor, address: request.ip }
  })
}
