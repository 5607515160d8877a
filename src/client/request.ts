import { RefusedError, UnreachableError } from './errors.ts'

export interface Connection {
  /** Origin of the service, such as `https://wiki.example.org`. */
  readonly url: string
  readonly key: string
  /** How long a request is tried again while the service is away or asks to wait, in milliseconds. */
  readonly patienceMs: number
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Path and query, encoded. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** An answer whose body was read: the connection is free again. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

const ANSWER_MS = 60_000
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000

/**
 * Sends a request and tries it again while the service is away (no answer, 503) or asks to wait (429), as `Retry-After`
 * says. It may therefore be applied twice: send writes with a precondition. Throws `RefusedError` for any other status
 * from 400 on, and `UnreachableError` when the patience is at its end.
 */
export async function send(connection: Connection, request: Request): Promise<Answer> {
  let until = Date.now() + connection.patienceMs
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const outcome = await attempt(connection, request)
    if (outcome instanceof Error) {
      if (Date.now() + wait > until) throw new UnreachableError(connection.url, outcome)
      await pause(wait)
    } else if (outcome.status === 429 || outcome.status === 503) {
      const asked = retryAfter(outcome.headers) ?? wait
      if (Date.now() + asked > until) throw refusalOf(outcome)
      // Who is over a rate is served in the end: such a wait takes nothing of the patience.
      if (outcome.status === 429) until += asked
      await pause(asked)
    } else if (outcome.status >= 400) {
      throw refusalOf(outcome)
    } else {
      return outcome
    }
  }
}

async function attempt({ url, key }: Connection, request: Request): Promise<Answer | Error> {
  try {
    const response = await fetch(url + request.target, {
      method: request.method,
      headers: { Authorization: `Bearer ${key}`, ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
      // A page that has moved is another page than the one that was asked for.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function refusalOf({ status, body }: Answer): RefusedError {
  const text = new TextDecoder().decode(body)
  try {
    const { code, detail } = JSON.parse(text) as { readonly code: string; readonly detail: string }
    return new RefusedError(status, String(code), String(detail))
  } catch {
    return new RefusedError(status, 'unknown', `The answer has the status ${status} and is not Recto's.`)
  }
}

/** In milliseconds: seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,6}$/.test(text)) return Math.max(Number(text) * 1_000, FIRST_WAIT_MS)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(date - Date.now(), FIRST_WAIT_MS)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
