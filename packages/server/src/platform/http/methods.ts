import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import findMyWay, { type HTTPVersion, type Instance } from 'find-my-way'
import { acceptPatch } from './bodies/body.ts'
import { addRouteHooks } from './hooks.ts'
import { methodNotAllowed } from './problems/raw-error.ts'
import type { Server } from './server.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The value of `Allow` for a request target; see `MethodRegistry`. */
    allowedAt: MethodRegistry['allowedAt']
  }
}

/**
 * The methods of each URL, independent of the method of a request. A second router knows the URLs regardless of
 * methods, so that no route has to be added for each of 35 methods.
 */
export class MethodRegistry {
  readonly #app: Server
  readonly #methodsByUrl = new Map<string, Set<string>>()
  readonly #patches = new Map<string, string>()
  #router: Instance<HTTPVersion.V1> | undefined

  constructor(app: Server) {
    this.#app = app
    app.decorate('allowedAt', this.allowedAt)
  }

  readonly add = ({ url, method, config = {} }: RouteOptions): void => {
    this.#router = undefined
    if (method === 'PATCH') this.#patches.set(url, acceptPatch(config))
    this.#methodsByUrl.set(url, new Set([...(this.#methodsByUrl.get(url) ?? []), ...[method].flat()]))
  }

  /** Every route that was added, such as `GET /me`. */
  routes(): readonly string[] {
    return [...this.#methodsByUrl].flatMap(([url, methods]) => [...methods].map((method) => `${method} ${url}`)).sort()
  }

  /** The value of `Allow` for a request target; undefined if no route has the URL. */
  readonly allowedAt = (url: string): string | undefined => {
    const methods = this.#methodsByUrl.get(this.#findRoute(url))
    return methods && [...methods, 'OPTIONS'].sort().join(', ')
  }

  /**
   * Responds to OPTIONS with 204, and to every other unsupported method of a known URL (TRACE and those of WebDAV too)
   * with 405 and `Allow`, before the body is read, which is ignored.
   */
  readonly answerOthers = (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    if (!request.is404) return undefined
    const allow = this.allowedAt(request.url)
    if (allow === undefined) return undefined
    if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, allow)
    const patch = this.#patches.get(this.#findRoute(request.url))
    if (patch !== undefined) reply.header('Accept-Patch', patch)
    return reply.code(204).header('Allow', allow).send()
  }

  /** The URL of the route, as the store that `on` received. The router is made at first need: it is slow to make. */
  #findRoute(url: string): string {
    this.#router ??= buildRouter(this.#methodsByUrl.keys(), this.#app)
    return (this.#router.find('GET', url.split(/[?#]/, 1)[0] ?? '')?.store ?? '') as string
  }
}

function buildRouter(urls: Iterable<string>, app: Server): Instance<HTTPVersion.V1> {
  const router = findMyWay({ maxParamLength: app.initialConfig.routerOptions?.maxParamLength ?? 100 })
  for (const url of urls) router.on('GET', url, () => {}, url)
  return router
}

/**
 * Fastify says of every response to HEAD without content that its length is 0. That of a 304 would be the length of the
 * representation (RFC 9110, section 8.6), so it has none, as with GET.
 */
export function omitLengthOfNotModified(route: RouteOptions): void {
  if (route.method !== 'HEAD') return
  addRouteHooks(route, {
    onSend: (_request, reply, payload, done) => {
      if (reply.statusCode === 304) reply.removeHeader('Content-Length')
      done(null, payload)
    },
  })
}
