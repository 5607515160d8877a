import { ApiError, ConnectionError } from './errors.ts'

export interface Connection {
  /** Origin of the service, such as `https://wiki.example.org`. */
  readonly url: string
  /** The API key; absent: requests carry none. */
  readonly key?: string | undefined
  /** How long a request is tried again while the service is away or asks to wait, in milliseconds. */
  readonly retryTimeoutMs: number
  /** How long one answer may take, in milliseconds. */
  readonly timeoutMs?: number
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

/** What every call takes: how to end it before its time. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface Request extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, encoded. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | Blob | ReadableStream<Uint8Array>
  /** It makes something new each time, such as a secret: it is not sent again unless it was surely not taken up. */
  readonly once?: boolean
  /** What a redirect is; a page that has moved is another page than the one that was asked for. */
  readonly redirect?: 'follow' | 'refuse'
  /** How long this answer may take; 0: for ever. */
  readonly timeoutMs?: number
}

/** An answer whose body was read: the connection is free again. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

const ANSWER_MS = 60_000
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000
const WITH_EFFECT = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Sends a request and reads the answer. While the service is away (no answer, 503) or asks to wait (429) it is tried
 * again, as `Retry-After` says; what may be applied only once carries an `Idempotency-Key`. Throws `ApiError` for a
 * redirect and for any status from 400 on, `ConnectionError` when the patience is at its end, and the signal's reason.
 */
export function send(connection: Connection, request: Request): Promise<ApiResponse> {
  return deliver(connection, request, async (response) => ({
    status: response.status,
    headers: response.headers,
    body: await bytesOf(response),
  }))
}

/** The same, with the body of the answer still to be read; that may take as long as it does. */
export function open(connection: Connection, request: Request): Promise<Response> {
  return deliver(connection, { ...request, timeoutMs: 0 }, async (response) => response)
}

async function deliver<T>(
  connection: Connection,
  request: Request,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const message = messageOf(connection, request)
  const streamed = request.body instanceof ReadableStream
  let until = Date.now() + connection.retryTimeoutMs
  let lost = false
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const outcome = await attempt(connection, request, message, async (response) => {
      const fine = response.ok || response.status === 304 || (lost && isGone(request, response))
      return fine ? { taken: await take(response) } : { refused: await toApiError(response), response }
    })
    if (outcome instanceof Error) {
      lost = true
      if (request.once || streamed || Date.now() + wait > until) {
        throw new ConnectionError(connection.url, outcome)
      }
      await sleep(jittered(wait), request.signal)
    } else if ('taken' in outcome) {
      return outcome.taken
    } else {
      const { refused, response } = outcome
      const asked = retryAfter(response.headers) ?? jittered(wait)
      if (streamed || !mayPass(refused, request) || Date.now() + asked > until) throw refused
      // Who is over a rate is served in the end: such a wait takes nothing of the patience.
      if (refused.status === 429) until += asked
      await sleep(asked, request.signal)
    }
  }
}

/** An answer that was lost may have been that it is gone: then it is as it was asked for. */
function isGone({ method }: Request, { status }: Response): boolean {
  return method === 'DELETE' && (status === 404 || status === 410)
}

/** Whether a refusal is one that passes, and the request may be sent again. */
function mayPass({ status, code }: ApiError, { once }: Request): boolean {
  if (status === 429) return true
  return !once && (status === 503 || code === 'idempotency_in_flight')
}

interface Message {
  readonly url: string
  readonly init: RequestInit & { readonly duplex?: 'half' }
}

/** What is sent, in each attempt the same. What is wrong with it is thrown here, and not taken for a lost connection. */
function messageOf({ url, key, headers }: Connection, request: Request): Message {
  const all = new Headers({ ...headers, ...request.headers })
  if (key !== undefined) all.set('Authorization', `Bearer ${key}`)
  if (WITH_EFFECT.has(request.method) && !request.once) all.set('Idempotency-Key', newIdempotencyKey())
  const { body } = request
  return {
    url: new URL(url.replace(/\/+$/, '') + request.target).href,
    init: {
      method: request.method,
      headers: all,
      redirect: request.redirect === 'follow' ? 'follow' : 'manual',
      ...(body !== undefined && { body: body as BodyInit }), // bytes over shared memory are none of ours
      ...(body instanceof ReadableStream && { duplex: 'half' as const }),
    },
  }
}

async function attempt<T>(
  { fetch: ask = fetch, timeoutMs = ANSWER_MS }: Connection,
  request: Request,
  { url, init }: Message,
  read: (response: Response) => Promise<T>,
): Promise<T | Error> {
  const limit = request.timeoutMs ?? timeoutMs
  const signals = [request.signal, limit > 0 ? AbortSignal.timeout(limit) : undefined]
  const given = signals.filter((signal) => signal !== undefined)
  try {
    return await read(
      await ask(url, { ...init, ...(given.length > 0 && { signal: AbortSignal.any(given) }) }),
    )
  } catch (error) {
    request.signal?.throwIfAborted()
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer())
}

async function toApiError(response: Response): Promise<ApiError> {
  // Browsers tell nothing of a redirect that is not followed.
  if (response.type === 'opaqueredirect') {
    return new ApiError(308, 'page_moved', 'It stands at another address now.')
  }
  const { status } = response
  const problem = parsed(new TextDecoder().decode(await bytesOf(response)))
  if (isProblem(problem)) return new ApiError(status, problem.code, problem.detail, problem)
  return new ApiError(status, 'unknown', `The answer has the status ${status} and is not Recto's.`)
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

/** In milliseconds: seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,6}$/.test(text)) return Math.max(Number(text) * 1_000, FIRST_WAIT_MS)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(date - Date.now(), FIRST_WAIT_MS)
}

/** Many clients of a service that comes back do not come at once. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}

/** Not `randomUUID`: pages that came over plain http do not have it. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Waits so long, or until the signal aborts: then its reason is thrown. */
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
