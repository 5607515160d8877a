/** One attempt of a request. */
import type { Attempt, Connection, Request } from './connection.ts'
import { type ApiError, ConnectionError } from './errors.ts'

interface Message {
  readonly url: string
  readonly init: RequestInit & { readonly duplex?: 'half' }
}

/** The value of a successful response, or an error; `response` is absent if none arrived. */
type Outcome<T> =
  | { readonly value: T }
  | { readonly error: ApiError; readonly response: Response }
  | { readonly error: ConnectionError; readonly response?: undefined }

/** Times the timeout: what the system has buffered is on its way when the last part has been read. */
const UPLOAD_STALL_FACTOR = 2
const TAKES_IDEMPOTENCY_KEY = new Set(['POST', 'PUT', 'PATCH'])

/** Builds what all attempts send. Throws for an invalid URL or header, which must not be retried. */
export function messageOf(connection: Connection, { call = {}, ...request }: Request): Message {
  const headers = new Headers({ ...connection.headers, ...request.headers, ...call.headers })
  if (TAKES_IDEMPOTENCY_KEY.has(request.method) && !request.notIdempotent && !request.repeatable) {
    headers.set('Idempotency-Key', call.idempotencyKey ?? newIdempotencyKey())
  }
  const { body } = request
  return {
    url: new URL(connection.url.replace(/\/+$/, '') + request.target).href,
    init: {
      method: request.method,
      headers,
      redirect: request.redirect === 'follow' ? 'follow' : 'manual',
      ...(body !== undefined && { body: body as BodyInit }), // never backed by a SharedArrayBuffer
      ...(body instanceof ReadableStream && { duplex: 'half' as const }),
    },
  }
}

/** Sends a request once. Resolves to a `ConnectionError` if the response, or a part of it, does not arrive in time. */
export async function attempt<T>(
  connection: Connection,
  request: Request,
  { url, init, attempt }: Message & { readonly attempt: number },
  read: (response: Response) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const { fetch: send = fetch, key } = connection
  const headers = new Headers(init.headers)
  const secret = typeof key === 'function' ? await key() : key
  if (secret !== undefined) headers.set('Authorization', `Bearer ${secret}`)
  const about: Attempt = { method: request.method, url, attempt }
  connection.onRequest?.(about)
  const started = performance.now()
  const { signal } = request.call ?? {}
  const isUpload = isWatched(request) && request.call?.timeout === undefined
  const ms = isUpload
    ? connection.timeout * UPLOAD_STALL_FACTOR
    : (request.call?.timeout ?? request.timeout ?? connection.timeout)
  const limit = timeLimit(ms, signal)
  const failed = (error: unknown) => {
    signal?.throwIfAborted()
    return { error: new ConnectionError(connection.url, error) }
  }
  try {
    const sent = {
      ...init,
      headers,
      ...watchedBody(request, isUpload ? limit.restart : undefined),
      ...limit.init,
    }
    const response = await send(url, sent).catch(failed)
    if ('error' in response) return response
    if (sendsWhole(request)) request.onProgress?.(request.body.size)
    connection.onResponse?.({
      ...about,
      status: response.status,
      durationMs: performance.now() - started,
      requestId: response.headers.get('x-request-id') ?? undefined,
    })
    return await read(response).catch(failed)
  } finally {
    limit.end()
  }
}

/** Aborts an attempt after `ms` without a restart, if that is not 0, or with the signal of the call. */
function timeLimit(ms: number, signal: AbortSignal | undefined) {
  if (ms === 0) return { init: signal ? { signal } : {}, restart: () => {}, end: () => {} }
  const controller = new AbortController()
  const error = new DOMException(`no response within ${ms} ms`, 'TimeoutError')
  const start = () => setTimeout(() => controller.abort(error), ms)
  let timer = start()
  const end = () => clearTimeout(timer)
  const restart = () => {
    end()
    if (!controller.signal.aborted) timer = start()
  }
  const both = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal
  return { init: { signal: both }, restart, end }
}

/** Whether the body is sent as a stream of its parts, so that a connection that takes no more of them is noticed. */
function isWatched(request: Request): boolean {
  return request.onProgress !== undefined && request.body instanceof Blob && !sendsWhole(request)
}

/** Browsers send streams over HTTP/2 only: a blob is sent as it is there, and its progress is reported once it has arrived. */
function sendsWhole(request: Request): request is Request & { readonly body: Blob } {
  return request.body instanceof Blob && isBrowser()
}

/** Node, Deno and Bun name themselves. */
function isBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith('Mozilla/') ?? false
}

/** The body as a stream that reports its progress. */
function watchedBody(
  request: Request,
  onPart: (() => void) | undefined,
): RequestInit & { readonly duplex?: 'half' } {
  const { body, onProgress } = request
  if (!onProgress || sendsWhole(request) || !(body instanceof Blob || body instanceof ReadableStream))
    return {}
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      onPart?.()
      onProgress(bytes)
      controller.enqueue(chunk)
    },
  })
  const stream = body instanceof Blob ? body.stream() : body
  return { body: stream.pipeThrough(counter), duplex: 'half' }
}

/** Not `randomUUID`, which browsers lack on pages over plain http. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
