import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyRequest,
  FastifySchema,
  HTTPMethods,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify'
import { type TNull, type TSchema, Type } from 'typebox'
import type { OPTIONAL_BODY } from './openapi/operations.ts'
import type { Server } from './server.ts'

type Responses = Readonly<Record<number, TSchema>>

/** A handler as Fastify types it by the schemas of its route, with the dependencies of its plugin as a third parameter. */
type Handler<Schemas extends FastifySchema, Deps> = WithDeps<
  RouteHandlerMethod<
    RawServerDefault,
    IncomingMessage,
    ServerResponse,
    RouteGenericInterface,
    FastifyContextConfig,
    Schemas,
    TypeBoxTypeProvider,
    FastifyBaseLogger
  >,
  Deps
>
type WithDeps<H extends (...received: never[]) => unknown, Deps> = (
  ...received: [...Parameters<H>, deps: Deps]
) => ReturnType<H>

/** A route as data: the schemas that validate it, what OpenAPI says besides, and its handler. */
interface Definition<P extends TSchema, Q extends TSchema, B extends TSchema, R extends Responses, Deps> {
  /** The method and the URL. */
  readonly route: `${HTTPMethods} /${string}`
  readonly config?: FastifyContextConfig
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly consumes?: string[]
  readonly produces?: string[]
  readonly security?: []
  readonly params?: P
  readonly querystring?: Q
  readonly body?: B
  readonly [OPTIONAL_BODY]?: true
  /** Bytes of the body, unless it is the limit of the server. */
  readonly bodyLimit?: (deps: Deps) => number
  readonly response?: R
  readonly preValidation?: (request: FastifyRequest) => Promise<void>
  readonly handler: Handler<{ params: P; querystring: Q; body: B; response: R }, Deps>
}

/** Adds routes to a server. */
export type Routes<Deps> = (app: Server, deps: Deps) => unknown

/** One route, whose handler is typed by its schemas. */
export function endpoint<
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends Responses,
  Deps = unknown,
>(definition: Definition<P, Q, B, R, Deps> & { readonly tags: readonly string[] }): Routes<Deps> {
  const { route, config = {}, bodyLimit, preValidation, handler, ...schema } = definition
  const [method = '', url = ''] = route.split(' ')
  return (app, deps) => {
    app.route({
      method,
      url,
      config,
      schema,
      ...(bodyLimit && { bodyLimit: bodyLimit(deps) }),
      ...(preValidation && { preValidation }),
      handler: (request, reply) => handler(request as never, reply as never, deps), // as the schemas validated it
    })
  }
}

type NoContent = { readonly 204: TNull }

/** A route without a result: 204 once `act` is done. */
type Action<P extends TSchema, Q extends TSchema, B extends TSchema, Deps> = Omit<
  Definition<P, Q, B, NoContent, Deps>,
  'handler' | 'response'
> & {
  readonly act: (
    request: Parameters<Handler<{ params: P; querystring: Q; body: B; response: NoContent }, Deps>>[0],
    deps: Deps,
  ) => Promise<void>
}

/** How routes with one tag are declared. */
export function endpointsOf(tag: string) {
  const tags = [tag]
  return {
    endpoint: <P extends TSchema, Q extends TSchema, B extends TSchema, R extends Responses, Deps = unknown>(
      definition: Definition<P, Q, B, R, Deps>,
    ) => endpoint({ ...definition, tags }),
    action: <P extends TSchema, Q extends TSchema, B extends TSchema, Deps = unknown>({
      act,
      ...definition
    }: Action<P, Q, B, Deps>) =>
      endpoint<P, Q, B, NoContent, Deps>({
        ...definition,
        tags,
        response: { 204: Type.Null() },
        handler: async (request, reply, deps) => {
          await act(request, deps)
          return reply.code(204).send(null)
        },
      }),
  }
}

/** The plugin of a feature: its routes in order, and those of the plugins that it includes. */
export function routesOf<Deps = unknown>(
  ...routes: readonly Routes<Deps>[]
): (app: Server, deps: Deps) => Promise<void> {
  return async (app, deps) => {
    for (const add of routes) await add(app, deps)
  }
}
