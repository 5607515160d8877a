import findMyWay, { type HTTPVersion, type Instance } from 'find-my-way'
import { acceptPatch } from './bodies/merge-patch.ts'
import { methodNotAllowed } from './method-not-allowed.ts'
import type { Server } from './server.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The value of `Allow` for a request target; see `MethodRegistry`. */
    allowedAt: MethodRegistry['allowedAt']
  }
}

/** The methods of each URL, independent of the method of a request. */
export interface MethodRegistry {
  /** The value of `Allow` for a request target; undefined if no route has the URL. */
  allowedAt(url: string): string | undefined
  /** Every route that was added, such as `GET /me`. */
  routes(): readonly string[]
}

/**
 * Responds to OPTIONS with 204, and to every other unsupported method of a known URL (TRACE and those of WebDAV too)
 * with 405 and `Allow`. A second router knows the URLs regardless of methods, so that no route has to be added for
 * each of 35 methods. Call it before the routes are added.
 */
export function answerOtherMethods(app: Server): MethodRegistry {
  const methodsByUrl = new Map<string, Set<string>>()
  const patches = new Map<string, string>()
  let router: Instance<HTTPVersion.V1> | undefined
  app.addHook('onRoute', ({ url, method, config = {} }) => {
    router = undefined
    if (method === 'PATCH') patches.set(url, acceptPatch(config))
    methodsByUrl.set(url, new Set([...(methodsByUrl.get(url) ?? []), ...[method].flat()]))
  })
  /** The URL of the route, as the store that `on` received. The router is made when it is first needed: it takes a tenth of a start. */
  const findRoute = (url: string) => {
    router ??= buildRouter(methodsByUrl.keys(), app)
    return (router.find('GET', url.split(/[?#]/, 1)[0] ?? '')?.store ?? '') as string
  }
  const registry: MethodRegistry = {
    allowedAt(url) {
      const methods = methodsByUrl.get(findRoute(url))
      return methods && [...methods, 'OPTIONS'].sort().join(', ')
    },
    routes: () =>
      [...methodsByUrl].flatMap(([url, methods]) => [...methods].map((method) => `${method} ${url}`)).sort(),
  }
  // Before the body is read, which is ignored.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const allow = registry.allowedAt(request.url)
    if (allow === undefined) return done()
    if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, allow)
    const patch = patches.get(findRoute(request.url))
    if (patch !== undefined) reply.header('Accept-Patch', patch)
    reply.code(204).header('Allow', allow).send()
  })
  app.decorate('allowedAt', registry.allowedAt)
  return registry
}

function buildRouter(urls: Iterable<string>, app: Server): Instance<HTTPVersion.V1> {
  const router = findMyWay({ maxParamLength: app.initialConfig.routerOptions?.maxParamLength ?? 100 })
  for (const url of urls) router.on('GET', url, () => {}, url)
  return router
}
