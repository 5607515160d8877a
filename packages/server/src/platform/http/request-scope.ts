import type { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inRequest, RequestScope } from '../database/connections/request-scope.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined before the hooks run. */
    scope: RequestScope | undefined
  }
}

const SAFE = new Set(['GET', 'HEAD'])

/** Runs the rest of the request in an async context that identifies it and has the state of its client. */
export function openScope(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
  const scope = new RequestScope({ readsOnly: SAFE.has(request.method) })
  request.scope = scope
  if (request.routeOptions.config.streamsBody) scope.streams()
  onClosed(reply, () => {
    if (!reply.raw.writableFinished) scope.leave()
  })
  inRequest(scope, next)
}

/** Enters the context again: the listeners of a received body have lost it. */
export function reenterScope({ scope }: FastifyRequest, _reply: FastifyReply, next: () => void): void {
  scope?.answered()
  if (scope) inRequest(scope, next)
  else next()
}

/** Ends a streamed response with its request. */
export function followStream(request: FastifyRequest, reply: FastifyReply, stream: Readable): void {
  request.scope?.streams()
  // Nobody reads the stream of a response to HEAD to its end, which may never come.
  onClosed(reply, () => stream.destroy())
}

/**
 * Calls `release` when the response is closed: at once if it is closed already, because Node emits `close` only once,
 * and a client may leave while a hook waits. The result removes it. Whatever a response holds is released by this.
 */
export function onClosed({ raw }: Pick<FastifyReply, 'raw'>, release: () => void): () => void {
  if (raw.destroyed) {
    release()
    return () => {}
  }
  const releases = releasesByResponse.get(raw) ?? listenTo(raw)
  releases.add(release)
  return () => releases.delete(release)
}

/** One listener for all that a response holds: Node warns of more than ten. */
const releasesByResponse = new WeakMap<FastifyReply['raw'], Set<() => void>>()

function listenTo(raw: FastifyReply['raw']): Set<() => void> {
  const releases = new Set<() => void>()
  releasesByResponse.set(raw, releases)
  raw.once('close', () => {
    for (const release of releases) release()
  })
  return releases
}

/** Waits for `acquire`, whose signal aborts when the client leaves or after the time limit. */
export async function whileConnected<T>(
  reply: FastifyReply,
  waitMs: number,
  acquire: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abandonController = new AbortController()
  const abandon = () => abandonController.abort()
  const timer = setTimeout(abandon, waitMs)
  const stop = onClosed(reply, abandon)
  try {
    return await acquire(abandonController.signal)
  } finally {
    clearTimeout(timer)
    stop()
  }
}

const completions = new WeakMap<FastifyRequest, (() => void)[]>()

/** Calls `release` once the request is answered and its response is closed, also where the client left early. */
export function onCompleted(request: FastifyRequest, reply: FastifyReply, release: () => void): void {
  const complete = () => void onClosed(reply, release)
  const others = completions.get(request)
  if (others) others.push(complete)
  else completions.set(request, [complete])
}

/** Notes that the request is answered, for `onCompleted`. */
export function completeRequest(request: FastifyRequest): void {
  for (const complete of completions.get(request) ?? []) complete()
  completions.delete(request)
}

/** Ends a request whose client left before its body is read: Node destroys that, and a reader would wait for ever. */
export function requireClient(_request: FastifyRequest, { raw }: FastifyReply): void {
  if (raw.destroyed) throw clientLeft()
}

/** Throws if the rest of a body cannot be read, because its client left. */
export function requireReadable(body: Readable): void {
  if (body.destroyed && !body.readableEnded) throw clientLeft()
}

function clientLeft(): AppError {
  return new AppError('invalid_request', 'The client closed the connection before its request was read.')
}
