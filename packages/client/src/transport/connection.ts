/** What is common to all requests of a client. */
export interface Connection extends Hooks {
  /** URL of the service, such as `https://wiki.example.org`. */
  readonly url: string
  /** The API key or access token, or a function that returns it for each attempt; absent for anonymous requests. */
  readonly key?: string | (() => string | Promise<string>) | undefined
  /** Time limit of one attempt, including the body, in milliseconds; 0 for none. */
  readonly timeout: number
  /** How often a request is retried, within `retryTimeout`. */
  readonly maxRetries: number
  /** How long a request is retried after its first failure, in milliseconds, without waits for a rate limit. */
  readonly retryTimeout: number
  /** Additional headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: typeof fetch | undefined
}

const DEFAULT_URL = 'http://localhost:3000'
const TIMEOUT_MS = 60_000
const RETRY_TIMEOUT_MS = 30_000

/** Completes the options of a client. */
export function toConnection(options: Partial<Connection>): Connection {
  return {
    timeout: TIMEOUT_MS,
    retryTimeout: RETRY_TIMEOUT_MS,
    maxRetries: Number.POSITIVE_INFINITY,
    ...options,
    url: options.url ?? (fromEnvironment('RECTO_URL') || DEFAULT_URL),
    key: 'key' in options ? options.key : fromEnvironment('RECTO_API_KEY') || undefined,
  }
}

/** Absent in browsers. */
function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  return process?.env?.[name]
}

/** Options of every function. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Additional headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Time limit of one attempt, in milliseconds; 0 for none. */
  readonly timeout?: number | undefined
  readonly maxRetries?: number | undefined
  /** `Idempotency-Key` of a write, to repeat it in another process within 24 hours; a random one by default. */
  readonly idempotencyKey?: string | undefined
}

/** Functions that are called for logging and metrics. None of them sees the key or a body. */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: ((attempt: Attempt) => void) | undefined
  /** When the headers of a response have arrived, whatever its status is. */
  readonly onResponse?: ((attempt: Attempt & AttemptResponse) => void) | undefined
  /** Before the wait for another attempt. */
  readonly onRetry?: ((attempt: Attempt & { readonly error: Error; readonly delayMs: number }) => void) | undefined
}

export interface Attempt {
  readonly method: string
  readonly url: string
  /** 1 for the first attempt. */
  readonly attempt: number
}

export interface AttemptResponse {
  readonly status: number
  readonly durationMs: number
  /** The request id, as in the log of the service. */
  readonly requestId: string | undefined
}

export interface Request {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, encoded. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | Blob | FormData | ReadableStream<Uint8Array>
  /** Called with the bytes of a blob or a stream that were read to be sent, in each attempt. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  /** Not idempotent, as the creation of a secret: retried only if the service surely did not process it. */
  readonly notIdempotent?: boolean
  /** A POST that is harmless to repeat, such as one that only reads: it is retried without an `Idempotency-Key`. */
  readonly repeatable?: boolean
  /** Whether to follow redirects of moved pages, or to throw an `ApiError` (default). */
  readonly redirect?: 'follow' | 'error'
  /** Time limit of one attempt unless the call has one; 0 for none. */
  readonly timeout?: number
  readonly call?: CallOptions | undefined
}

/** A response with its body. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** The options of a call without those of every function: the parameters of its query. */
export function withoutCallOptions<T extends CallOptions>(options: T): Omit<T, keyof CallOptions> {
  const { signal, headers, timeout, maxRetries, idempotencyKey, ...others } = options
  return others
}
