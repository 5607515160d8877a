/**
 * Transport of the client: attempts with time limits, retries with exponential backoff and jitter, idempotency keys.
 * Why it is not `openapi-fetch`: docs/adr/0015-client-transport.md.
 */
import { ApiError, ConnectionError } from './errors.ts'

export interface Connection {
  /** Origin of the service, such as `https://wiki.example.org`. */
  readonly url: string
  /** The API key; absent for anonymous requests. */
  readonly key?: string | undefined
  /** How long a request is retried, in milliseconds. */
  readonly retryTimeoutMs: number
  /** Time limit of one attempt, including the body, in milliseconds. */
  readonly timeoutMs?: number
  /** Additional headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

/** Options of every function. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface Request extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, encoded. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | Blob | FormData | ReadableStream<Uint8Array>
  /** Called with the bytes of a blob or a stream that were read to be sent, in each attempt. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  /** Not idempotent, as the creation of a secret: retried only if the service surely did not process it. */
  readonly notIdempotent?: boolean
  /** Whether to follow redirects of moved pages, or to throw an `ApiError` (default). */
  readonly redirect?: 'follow' | 'error'
  /** Time limit of one attempt; 0 for none. */
  readonly timeoutMs?: number
}

/** A response with its body. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

const TIMEOUT_MS = 60_000
const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 2_000
const TAKES_IDEMPOTENCY_KEY = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Sends a request and reads the response. Connection errors, timeouts, 503 and 429 are retried, after the time in
 * `Retry-After`; writes carry an `Idempotency-Key`, the same in all attempts. Throws `ApiError` for redirects and
 * statuses from 400, `ConnectionError` when the retries end, and the reason of the signal.
 */
export function send(connection: Connection, request: Request): Promise<ApiResponse> {
  return sendWithRetries(connection, request, async (response) => ({
    status: response.status,
    headers: response.headers,
    body: await bytesOf(response),
  }))
}

/** The same, but returns the response as soon as its headers have arrived. Its body has no time limit. */
export function open(connection: Connection, request: Request): Promise<Response> {
  return sendWithRetries(connection, { ...request, timeoutMs: 0 }, async (response) => response)
}

async function sendWithRetries<T>(
  connection: Connection,
  request: Request,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const message = messageOf(connection, request)
  const streamed = request.body instanceof ReadableStream
  let until = Date.now() + connection.retryTimeoutMs
  let lost = false
  for (let wait = MIN_BACKOFF_MS; ; wait = Math.min(wait * 2, MAX_BACKOFF_MS)) {
    const outcome = await attempt(connection, request, message, async (response) => {
      const ok = isSuccess(response) || (lost && isGone(request, response))
      return ok ? { value: await read(response) } : { error: await toApiError(response), response }
    })
    if (outcome instanceof Error) {
      lost = true
      if (request.notIdempotent || streamed || Date.now() + wait > until) {
        throw new ConnectionError(connection.url, outcome)
      }
      await sleep(jittered(wait), request.signal)
      continue
    }
    if ('value' in outcome) return outcome.value
    const { error, response } = outcome
    const delay = retryAfter(response.headers) ?? jittered(wait)
    if (streamed || !isRetryable(error, request) || Date.now() + delay > until) throw error
    // Waiting for a rate limit does not count against the retry timeout.
    if (error.status === 429) until += delay
    await sleep(delay, request.signal)
  }
}

function isSuccess({ ok, status }: Response): boolean {
  return ok || status === 304
}

/** After a lost response, 404 and 410 mean that an earlier attempt has deleted it. */
function isGone({ method }: Request, { status }: Response): boolean {
  return method === 'DELETE' && (status === 404 || status === 410)
}

function isRetryable({ status, code }: ApiError, { notIdempotent }: Request): boolean {
  if (status === 429) return true
  return !notIdempotent && (status === 503 || code === 'idempotency_in_flight')
}

interface Message {
  readonly url: string
  readonly init: RequestInit & { readonly duplex?: 'half' }
}

/** Builds what all attempts send. Throws for an invalid URL or header, which must not be retried. */
function messageOf({ url, key, headers }: Connection, request: Request): Message {
  const all = new Headers({ ...headers, ...request.headers })
  if (key !== undefined) all.set('Authorization', `Bearer ${key}`)
  if (TAKES_IDEMPOTENCY_KEY.has(request.method) && !request.notIdempotent)
    all.set('Idempotency-Key', newIdempotencyKey())
  const { body } = request
  return {
    url: new URL(url.replace(/\/+$/, '') + request.target).href,
    init: {
      method: request.method,
      headers: all,
      redirect: request.redirect === 'follow' ? 'follow' : 'manual',
      ...(body !== undefined && { body: body as BodyInit }), // never backed by a SharedArrayBuffer
      ...(body instanceof ReadableStream && { duplex: 'half' as const }),
    },
  }
}

async function attempt<T>(
  { fetch: send = fetch, timeoutMs = TIMEOUT_MS }: Connection,
  request: Request,
  { url, init }: Message,
  read: (response: Response) => Promise<T>,
): Promise<T | Error> {
  const limit = request.timeoutMs ?? timeoutMs
  const signals = [request.signal, limit > 0 ? AbortSignal.timeout(limit) : undefined]
  const present = signals.filter((signal) => signal !== undefined)
  try {
    return await read(
      await send(url, {
        ...init,
        ...watchedBody(request),
        ...(present.length > 0 && { signal: AbortSignal.any(present) }),
      }),
    )
  } catch (error) {
    request.signal?.throwIfAborted()
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The body as a stream that reports its progress. */
function watchedBody({ body, onProgress }: Request): RequestInit & { readonly duplex?: 'half' } {
  if (!onProgress || !(body instanceof Blob || body instanceof ReadableStream)) return {}
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      onProgress(bytes)
      controller.enqueue(chunk)
    },
  })
  const stream = body instanceof Blob ? body.stream() : body
  return { body: stream.pipeThrough(counter), duplex: 'half' }
}

async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer())
}

async function toApiError(response: Response): Promise<ApiError> {
  // Browsers hide the status of a redirect that is not followed.
  if (response.type === 'opaqueredirect') {
    return new ApiError(308, 'page_moved', 'The page has moved.')
  }
  const { status } = response
  const problem = parsed(new TextDecoder().decode(await bytesOf(response)))
  if (isProblem(problem)) return new ApiError(status, problem.code, problem.detail, problem)
  return new ApiError(status, 'unknown', `The response with status ${status} is not a problem document.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProblem(value: unknown): value is Readonly<Record<string, unknown>> & {
  readonly code: string
  readonly detail: string
} {
  if (typeof value !== 'object' || value === null) return false
  return (
    'code' in value && typeof value.code === 'string' && 'detail' in value && typeof value.detail === 'string'
  )
}

/** `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, in milliseconds. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,6}$/.test(text)) return Math.max(Number(text) * 1_000, MIN_BACKOFF_MS)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(date - Date.now(), MIN_BACKOFF_MS)
}

/** Spreads the retries of many clients after an outage. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}

/** Not `randomUUID`, which browsers lack on pages over plain http. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Resolves after `ms`; rejects with the reason of the signal when it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
