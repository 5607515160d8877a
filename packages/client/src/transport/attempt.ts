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
export function buildMessage(connection: Connection, { call = {}, ...request }: Request): Message {
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
  const startedAt = performance.now()
  const { signal } = request.call ?? {}
  const isUpload = isWatched(request) && request.call?.timeout === undefined
  const limit = timeLimit(toTimeout(connection, request, isUpload), signal)
  const failed = (error: unknown) => {
    signal?.throwIfAborted()
    return { error: new ConnectionError(connection.url, error) }
  }
  try {
    const body = watchedBody(request, isUpload ? limit.restart : undefined)
    const sentInit = { ...init, headers, ...body, ...limit.init }
    const response = await send(url, sentInit).catch(failed)
    if ('error' in response) return response
    if (sendsWhole(request)) request.onProgress?.(measureSize(request.body))
    connection.onResponse?.({
      ...about,
      status: response.status,
      durationMs: performance.now() - startedAt,
      requestId: response.headers.get('x-request-id') ?? undefined,
    })
    return await read(response).catch(failed)
  } finally {
    limit.end()
  }
}

function toTimeout({ timeout }: Connection, request: Request, isUpload: boolean): number {
  if (isUpload) return timeout * UPLOAD_STALL_FACTOR
  return request.call?.timeout ?? request.timeout ?? timeout
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
  return request.onProgress !== undefined && isWhole(request.body) && !sendsWhole(request)
}

/** Browsers stream over HTTP/2 only: there bytes are sent whole, and their progress is reported at the end. */
function sendsWhole(request: Request): request is Request & { readonly body: Blob | Uint8Array } {
  return isWhole(request.body) && isBrowser()
}

function isWhole(body: Request['body']): body is Blob | Uint8Array {
  return body instanceof Blob || body instanceof Uint8Array
}

function measureSize(body: Blob | Uint8Array): number {
  return body instanceof Blob ? body.size : body.length
}

/** Node, Deno and Bun name themselves. */
function isBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith('Mozilla/') ?? false
}

/** The body as a stream that reports its progress. */
function watchedBody(request: Request, onPart: (() => void) | undefined): RequestInit & { readonly duplex?: 'half' } {
  const { body, onProgress } = request
  if (!onProgress || sendsWhole(request) || !(isWhole(body) || body instanceof ReadableStream)) return {}
  let bytes = 0
  const stream = inParts(toStream(body), (size) => {
    bytes += size
    onPart?.()
    onProgress(bytes)
  })
  return { body: stream, duplex: 'half' }
}

function toStream(body: Blob | Uint8Array | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (body instanceof ReadableStream) return body
  if (body instanceof Blob) return body.stream()
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body)
      controller.close()
    },
  })
}

/** The stream of a blob in memory has a single chunk: smaller parts show the progress of a slow connection. */
const PART_BYTES = 64 * 1024

/** The bytes of a stream in parts, each when the connection takes it. */
function inParts(source: ReadableStream<Uint8Array>, onPart: (size: number) => void): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let rest = new Uint8Array() as Uint8Array
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    while (rest.length === 0) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      rest = value
    }
    const part = rest.subarray(0, PART_BYTES)
    rest = rest.subarray(PART_BYTES)
    onPart(part.length)
    controller.enqueue(part)
  }
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

/** Not `randomUUID`, which browsers lack on pages over plain http. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
