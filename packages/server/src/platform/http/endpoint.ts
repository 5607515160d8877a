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
import { type TNull, type TSchema, type TUnsafe, Type } from 'typebox'
import type { OPTIONAL_BODY } from './openapi/operations.ts'
import type { Server } from './server.ts'

type Responses = Readonly<Record<number, TSchema>>
type Route = `${HTTPMethods} /${string}`

/** The parameters that a URL names: `space` and `*` of `/edit/:space/*`. */
export type UrlParams<Url extends string> = Readonly<Record<ParamName<Url>, string>>

type ParamName<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Url extends `${string}:${infer Name}`
    ? Name
    : Url extends `${string}*`
      ? '*'
      : never

/** A handler as Fastify types it by the schemas of its route, and the dependencies of its plugin as third parameter. */
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
type WithDeps<H extends (...handlerArguments: never[]) => unknown, Deps> = (
  ...handlerArguments: [...Parameters<H>, deps: Deps]
) => ReturnType<H>

/** A route as data: the schemas that validate it, what OpenAPI says besides, and its handler. */
interface Definition<
  Url extends Route,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends Responses,
  Deps,
> {
  /** The method and the URL. */
  readonly route: Url
  readonly config?: FastifyContextConfig
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly consumes?: string[]
  readonly produces?: string[]
  readonly security?: []
  /** If they are not those of `declareEndpoints`. */
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

/** What the routes with one tag have in common. */
interface Common {
  readonly tags: readonly string[]
  /** The parameters of their URLs that are not any text. */
  readonly parameters?: Readonly<Record<string, TSchema>>
}

/** One route, whose handler is typed by its schemas. */
export function endpoint<
  const Url extends Route,
  Q extends TSchema,
  B extends TSchema,
  R extends Responses,
  P extends TSchema = TUnsafe<UrlParams<Url>>,
  Deps = unknown,
>(definition: Definition<Url, P, Q, B, R, Deps> & Common): Routes<Deps> {
  const { route, parameters, config = {}, bodyLimit, preValidation, handler, ...schema } = definition
  const [method = '', url = ''] = route.split(' ')
  return (app, deps) => {
    app.route({
      method,
      url,
      config,
      schema: { ...buildParameters(url, parameters), ...schema },
      ...(bodyLimit && { bodyLimit: bodyLimit(deps) }),
      ...(preValidation && { preValidation }),
      handler: (request, reply) => handler(request as never, reply as never, deps), // as the schemas validated it
    })
  }
}

function buildParameters(url: string, parameters: Common['parameters'] = {}): FastifySchema {
  const names = Array.from(url.matchAll(/:(\w+)/g), ([, name = '']) => name)
  if (names.length === 0) return {}
  const schemas = names.map((name) => [name, parameters[name] ?? Type.String()])
  return { params: Type.Object(Object.fromEntries(schemas)) }
}

type NoContent = { readonly 204: TNull }

/** A route without a result: 204 once `act` is done. */
type Action<Url extends Route, P extends TSchema, Q extends TSchema, B extends TSchema, Deps> = Omit<
  Definition<Url, P, Q, B, NoContent, Deps>,
  'handler' | 'response'
> & {
  readonly act: (
    request: Parameters<Handler<{ params: P; querystring: Q; body: B; response: NoContent }, Deps>>[0],
    deps: Deps,
  ) => Promise<void>
}

/** How routes with one tag are declared. A parameter of their URLs is any text, unless it has a schema here. */
export function declareEndpoints(tag: string, parameters: Common['parameters'] = {}) {
  const common: Common = { tags: [tag], parameters }
  return {
    endpoint: <
      const Url extends Route,
      Q extends TSchema,
      B extends TSchema,
      R extends Responses,
      P extends TSchema = TUnsafe<UrlParams<Url>>,
      Deps = unknown,
    >(
      definition: Definition<Url, P, Q, B, R, Deps>,
    ) => endpoint({ ...definition, ...common }),
    action: <
      const Url extends Route,
      Q extends TSchema,
      B extends TSchema,
      P extends TSchema = TUnsafe<UrlParams<Url>>,
      Deps = unknown,
    >({
      act,
      ...definition
    }: Action<Url, P, Q, B, Deps>) =>
      endpoint<Url, Q, B, NoContent, P, Deps>({
        ...definition,
        ...common,
        response: { 204: Type.Null() },
        handler: async (request, reply, deps) => {
          await act(request, deps)
          return reply.code(204).send(null)
        },
      }),
  }
}

/** The plugin of a feature: its routes in order, and those of the plugins that it includes. */
export function registerRoutes<Deps = unknown>(
  ...routes: readonly Routes<Deps>[]
): (app: Server, deps: Deps) => Promise<void> {
  return async (app, deps) => {
    for (const add of routes) await add(app, deps)
  }
}
