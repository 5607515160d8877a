/**
 * Transport of the client: attempts with time limits, retries with exponential backoff and jitter, idempotency keys.
 * Why it is not `openapi-fetch`: docs/adr/0015-client-transport.md.
 */
import { attempt, buildMessage } from './attempt.ts'
import type { ApiResponse, Connection, Request } from './connection.ts'
import { ApiError, ConnectionError, toApiError } from './errors.ts'

const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 2_000
const RETRYABLE = new Set([502, 503, 504])

/**
 * Sends a request and reads the response. Connection errors, timeouts, 429, 502, 503 and 504 are retried, after the
 * time in `Retry-After`; writes carry an `Idempotency-Key`, the same in all attempts. Throws `ApiError` for redirects
 * and statuses from 400, `ConnectionError` when the retries end, and the reason of the signal.
 */
export function send(connection: Connection, request: Request): Promise<ApiResponse> {
  return sendWithRetries(connection, request, async (response) => ({
    status: response.status,
    headers: response.headers,
    body: new Uint8Array(await response.arrayBuffer()),
  }))
}

/** The same, but returns the response as soon as its headers have arrived. Its body has no time limit. */
export function open(connection: Connection, request: Request): Promise<Response> {
  return sendWithRetries(connection, request, async (response) => response)
}

async function sendWithRetries<T>(
  connection: Connection,
  request: Request,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const message = buildMessage(connection, request)
  const { signal } = request.call ?? {}
  const retries = countRetries(connection, request)
  let isLost = false
  for (let number = 1; ; number++) {
    const outcome = await attempt(connection, request, { ...message, attempt: number }, async (response) => {
      const ok = response.ok || response.status === 304 || (isLost && isGone(request, response))
      return ok ? { value: await read(response) } : { error: await readProblem(response), response }
    })
    if ('value' in outcome) return outcome.value
    const { error, response } = outcome
    isLost ||= response === undefined
    const delayMs = retries.next(error, response?.headers)
    if (delayMs === undefined) throw error
    connection.onRetry?.({ method: request.method, url: message.url, attempt: number, error, delayMs })
    await sleep(delayMs, signal)
  }
}

function countRetries(connection: Connection, request: Request) {
  const streamed = request.body instanceof ReadableStream
  let leftRetries = request.call?.maxRetries ?? connection.maxRetries
  let until: number | undefined
  let backoff = MIN_BACKOFF_MS
  return {
    /** The delay before another attempt, in milliseconds; undefined if there is none. */
    next(error: ApiError | ConnectionError, headers: Headers | undefined): number | undefined {
      const delayMs = (headers && retryAfter(headers)) ?? jittered(backoff)
      backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
      // From the first failure on, so that an attempt that ran into its time limit is retried as well.
      until ??= Date.now() + connection.retryTimeout
      if (streamed || leftRetries-- <= 0 || !isRetryable(error, request) || Date.now() + delayMs > until)
        return undefined
      if (error instanceof ApiError && error.status === 429) until += delayMs
      return delayMs
    },
  }
}

/** After a lost response, 404 and 410 mean that an earlier attempt has deleted it. */
function isGone({ method }: Request, { status }: Response): boolean {
  return method === 'DELETE' && (status === 404 || status === 410)
}

function isRetryable(error: ApiError | ConnectionError, { notIdempotent }: Request): boolean {
  if (error instanceof ConnectionError) return !notIdempotent
  // Too many imports run: this one has not begun.
  if (error.status === 429 || error.code === 'import_busy') return true
  return !notIdempotent && (RETRYABLE.has(error.status) || error.code === 'idempotency_in_flight')
}

/** `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, in milliseconds. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,6}$/.test(text)) return Math.max(Number(text) * 1_000, MIN_BACKOFF_MS)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(date - Date.now(), MIN_BACKOFF_MS)
}

/** Spreads the retries of many clients after an outage. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}

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

/** The error of a response, a problem document of RFC 9457. */
async function readProblem(response: Response): Promise<ApiError> {
  // Browsers hide the status of a redirect that is not followed.
  if (response.type === 'opaqueredirect') return toApiError(308, 'page_moved', 'The page has moved.')
  const { status } = response
  const problem = parsed(await response.text())
  if (isProblem(problem)) return toApiError(status, problem.code, problem.detail, problem)
  return toApiError(status, 'unknown', `The response with status ${status} is not a problem document.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProblem(
  value: unknown,
): value is Readonly<Record<string, unknown>> & { readonly code: string; readonly detail: string } {
  if (typeof value !== 'object' || value === null) return false
  return 'code' in value && typeof value.code === 'string' && 'detail' in value && typeof value.detail === 'string'
}
