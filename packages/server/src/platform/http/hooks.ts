import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Server } from './server.ts'

/**
 * A hook before the handler. What follows it runs when it returns: at once, which costs no promise, or once its promise
 * is resolved. It throws the error that is the response, or returns the reply that it has sent. One that continues the
 * request in another context calls `next`.
 */
type RequestHook = (request: FastifyRequest, reply: FastifyReply, next: () => void) => unknown

/** A hook that gets a body or a response, and returns another one in its place, if any. */
type PayloadHook<Payload> = (request: FastifyRequest, reply: FastifyReply, payload: Payload) => unknown

/** The hooks of a server by the phases of a request, in their order (Fastify, "Lifecycle"). */
export interface Pipeline {
  /** Changes routes while they are added: what only some of them need are hooks of these routes. */
  readonly onRoute?: readonly ((route: RouteOptions) => void)[]
  readonly onRequest?: readonly RequestHook[]
  readonly preParsing?: readonly PayloadHook<Readable>[]
  readonly preValidation?: readonly RequestHook[]
  readonly preHandler?: readonly RequestHook[]
  readonly onError?: readonly ((request: FastifyRequest, reply: FastifyReply, error: Error) => Promise<void>)[]
  readonly onSend?: readonly PayloadHook<unknown>[]
}

/** Registers the hooks of a server, before its routes. */
export function addHooks(app: Server, pipeline: Pipeline): void {
  for (const hook of pipeline.onRoute ?? []) app.addHook('onRoute', hook)
  for (const hook of pipeline.onRequest ?? []) app.addHook('onRequest', withNext(hook))
  for (const hook of pipeline.preParsing ?? []) app.addHook('preParsing', withPayload(hook))
  for (const hook of pipeline.preValidation ?? []) app.addHook('preValidation', withNext(hook))
  for (const hook of pipeline.preHandler ?? []) app.addHook('preHandler', withNext(hook))
  for (const hook of pipeline.onError ?? []) app.addHook('onError', hook)
  for (const hook of pipeline.onSend ?? []) app.addHook('onSend', withPayload(hook))
}

type RoutePhase = 'onRequest' | 'preParsing' | 'preHandler' | 'preSerialization' | 'onSend'

/** Adds hooks to a route, after its own, and after those of all routes. */
export function addRouteHooks(route: RouteOptions, hooks: Pick<RouteOptions, RoutePhase>): void {
  for (const phase of Object.keys(hooks) as RoutePhase[]) {
    Object.assign(route, { [phase]: [route[phase] ?? [], hooks[phase] ?? []].flat() })
  }
}

function withNext(hook: RequestHook) {
  if (hook.length > 2) return hook
  return (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const result = hook(request, reply, done)
    if (result === undefined) done()
    return result
  }
}

function withPayload<Payload>(hook: PayloadHook<Payload>) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Payload,
    done: (error: null, payload?: Payload) => void,
  ) => {
    const result = hook(request, reply, payload)
    if (result instanceof Promise) return result
    done(null, result as Payload | undefined) // undefined: the same payload
  }
}

/** A hook of responses that are streamed. */
export function whereStreamed(...hooks: readonly PayloadHook<Readable>[]): PayloadHook<unknown> {
  return (request, reply, payload) => {
    if (payload instanceof Readable) for (const hook of hooks) hook(request, reply, payload)
  }
}
