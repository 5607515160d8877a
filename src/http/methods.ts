import { AppError } from '../errors.ts'
import type { Server } from './server.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Answers 405 with `Allow` for every method that an address does not have, and OPTIONS with 204. Call `watchMethods`
 * before the routes are added, and the function that it returns after them; that one names every route that was added,
 * such as `GET /me`.
 */
export function watchMethods(app: Server): () => readonly string[] {
  const seen = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    const methods = seen.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) methods.add(method)
    seen.set(route.url, methods)
  })
  return () => {
    const added = [...seen].flatMap(([url, methods]) => [...methods].map((method) => `${method} ${url}`))
    for (const [url, methods] of [...seen]) {
      const allow = [...methods, 'OPTIONS'].sort().join(', ')
      const missing = METHODS.filter((method) => !methods.has(method) && method !== 'OPTIONS')
      const config = { public: true }
      app.route({
        url,
        method: 'OPTIONS',
        config,
        schema: { hide: true },
        handler: (_, reply) => reply.code(204).header('Allow', allow).send(),
      })
      app.route({
        url,
        method: missing,
        config,
        schema: { hide: true },
        // In a hook: what the body holds does not matter here.
        onRequest: async (request) => {
          throw new AppError(
            'method_not_allowed',
            `${request.method} is not a method of this address: it has ${allow}.`,
            {
              headers: { Allow: allow },
            },
          )
        },
        handler: async () => undefined,
      })
    }
    return added.sort()
  }
}
