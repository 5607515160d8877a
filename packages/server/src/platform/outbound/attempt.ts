import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Agents } from './agents.ts'
import type { AttemptRecord } from './attempt-record.ts'
import { AddressBlocked, filteredLookup, type Resolve } from './ssrf-filter.ts'
import { checkTargetUrl, type Reach } from './target-url.ts'

/** The dependencies of attempts. */
export interface Transport {
  readonly reach: Reach
  readonly resolve: Resolve
  readonly agents: Agents
  /** Timeout of the complete attempt in milliseconds, from the DNS lookup to the last byte of the response. */
  readonly timeoutMs: number
  readonly userAgent: string
  /** Further certificate authorities that are trusted. */
  readonly ca?: string
}

/** The outcome of one attempt. There was a response if there is a `responseStatus`. */
export interface AttemptResult extends AttemptRecord {
  readonly retryAfter: string | undefined
  /** The SSRF filter blocked the request: there must be no retry. */
  readonly blocked: boolean
}

const MAX_READ = 64 * 1024
const MAX_KEPT = 1024
const MAX_HEADER_BYTES = 16 * 1024
/** For one request, where the agents have kept a connection that its receiver had closed. */
const UNPOOLED = {
  http: new http.Agent({ keepAlive: false }),
  https: new https.Agent({ keepAlive: false, maxCachedSessions: 0 }),
} as const

interface Message {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** A message whose URL was checked. */
interface Target extends Omit<Message, 'url'> {
  readonly url: URL
}

/** Sends the body once, within the timeout; reads 64 KiB at most, follows no redirect. Undefined: `stop` aborted. */
export async function sendAttempt(
  transport: Transport,
  message: Message,
  stop?: AbortSignal,
): Promise<AttemptResult | undefined> {
  const at = new Date().toISOString()
  const startedAt = performance.now()
  const outcome = await send(transport, message, stop)
  if (outcome === 'stopped') return undefined
  return { at, durationMs: Math.round(performance.now() - startedAt), ...outcome }
}

type Outcome = Omit<AttemptResult, 'at' | 'durationMs'>

function send(transport: Transport, message: Message, stop: AbortSignal | undefined): Promise<Outcome | 'stopped'> {
  // Checked again, because the settings may have changed, and because no lookup is made for an IP literal.
  const url = checkTargetUrl(message.url, transport.reach)
  if (!(url instanceof URL)) return Promise.resolve(failed(url.code, true))
  return new Promise((resolve) => {
    const onStop = () => exchange.end('stopped')
    const exchange = new Exchange(transport, { ...message, url }, (outcome) => {
      stop?.removeEventListener('abort', onStop)
      resolve(outcome)
    })
    if (stop?.aborted) return onStop()
    stop?.addEventListener('abort', onStop, { once: true })
    exchange.post(transport.agents)
  })
}

/** A request and its response, until the first of: the end of the response, an error, the timeout. */
class Exchange {
  readonly #transport: Transport
  readonly #message: Target
  readonly #onEnd: (outcome: Outcome | 'stopped') => void
  readonly #timer: NodeJS.Timeout
  #request: ClientRequest | undefined
  #answer: Answer | undefined
  #ended = false

  constructor(transport: Transport, message: Target, onEnd: (outcome: Outcome | 'stopped') => void) {
    this.#transport = transport
    this.#message = message
    this.#onEnd = onEnd
    // One timeout for everything: a timer of each phase would not stop a receiver that sends byte by byte
    // (slowloris).
    this.#timer = setTimeout(() => this.end(this.#outcome('timeout')), transport.timeoutMs)
  }

  post(agents: Pick<Agents, 'http' | 'https'>): void {
    const request = open(this.#transport, agents, this.#message)
    this.#request = request
    request.on('error', (error) => {
      // A destroyed request may still emit an error.
      if (this.#ended) return
      if (!this.#answer && isStale(request, error)) return this.post(UNPOOLED)
      this.end(this.#outcome(errorWord(error), error instanceof AddressBlocked))
    })
    request.once('response', (response) => {
      this.#answer = { response, kept: [], read: 0 }
      readAnswer(this.#answer, (outcome) => this.end(outcome))
    })
    request.end(this.#message.body)
  }

  end(outcome: Outcome | 'stopped'): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#request?.destroy()
    this.#onEnd(outcome)
  }

  /** The answer as far as it has arrived; without one, the error. */
  #outcome(error: Parameters<typeof failed>[0], blocked = false): Outcome {
    return this.#answer ? answered(this.#answer) : failed(error, blocked)
  }
}

/** Reads until the response ends, or is longer than what counts. */
function readAnswer(answer: Answer, end: (outcome: Outcome) => void): void {
  const { response } = answer
  response.on('data', (chunk: Buffer) => {
    if (keep(answer, chunk) > MAX_READ) end(answered(answer))
  })
  for (const event of ['end', 'error', 'close'] as const) response.once(event, () => end(answered(answer)))
}

/** Whether the receiver closed a kept connection before it responded: it may have done so before the request came. */
function isStale(request: ClientRequest, error: Error & { readonly code?: unknown }): boolean {
  return request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

function open(transport: Transport, agents: Pick<Agents, 'http' | 'https'>, message: Target): ClientRequest {
  const { reach } = transport
  const { url } = message
  const isAllowed = reach.allowPrivate ? () => true : reach.isPublic
  const secure = url.protocol === 'https:'
  const options = {
    method: 'POST',
    agent: secure ? agents.https : agents.http,
    lookup: filteredLookup(transport.resolve, isAllowed),
    maxHeaderSize: MAX_HEADER_BYTES,
    ...(secure && { minVersion: 'TLSv1.2' as const, ...(transport.ca !== undefined && { ca: transport.ca }) }),
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(message.body),
      'User-Agent': transport.userAgent,
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      ...message.headers,
    },
  }
  const request = secure ? https.request(url, options) : http.request(url, options)
  // Defence in depth: however an address was found, and on a kept connection, nothing is sent to a blocked one.
  request.once('socket', (socket: Socket) => {
    const check = () => {
      if (!isAllowed(socket.remoteAddress ?? '')) request.destroy(new AddressBlocked())
    }
    if (socket.connecting) socket.once('connect', check)
    else check()
  })
  return request
}

interface Answer {
  readonly response: IncomingMessage
  readonly kept: Buffer[]
  read: number
}

/** Keeps the beginning of the body; `read` counts its bytes. */
function keep(answer: Answer, chunk: Buffer): number {
  const capacity = MAX_KEPT - answer.read
  if (capacity > 0) answer.kept.push(Buffer.from(chunk.subarray(0, capacity)))
  answer.read += chunk.length
  return answer.read
}

/** The status alone decides: a truncated body changes nothing. */
function answered({ response, kept }: Answer): Outcome {
  const status = response.statusCode ?? 0
  const redirect = status >= 300 && status < 400
  return {
    responseStatus: status,
    error: redirect ? 'redirect_not_followed' : null,
    responseBody: readable(Buffer.concat(kept)),
    retryAfter: response.headers['retry-after'],
    blocked: false,
  }
}

/** As text that the database can store: invalid UTF-8 and NUL are replaced. */
function readable(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\ufffd')
}

function failed(error: string, blocked: boolean): Outcome {
  return { responseStatus: null, error, responseBody: null, retryAfter: undefined, blocked }
}

const WORDS: Readonly<Record<string, string>> = {
  ADDRESS_BLOCKED: 'address_blocked',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'unreachable',
}

/** Verification errors of OpenSSL, as Node names them, have no common prefix. */
const TLS =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_|PATH_LENGTH|HOSTNAME_MISMATCH)/

/** The reason of a failure: a stable word with the system's error code, and no internal details. */
function errorWord(error: unknown): string {
  const code = readCode(error)
  if (code === undefined) return 'request_failed'
  if (code === 'ADDRESS_BLOCKED') return 'address_blocked'
  return `${toWord(code, error)} (${code})`
}

function toWord(code: string, error: unknown): string {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo') return 'dns_error'
  if (code.startsWith('HPE_')) return 'invalid_response'
  if (TLS.test(code)) return 'tls_error'
  return WORDS[code] ?? 'request_failed'
}

function readCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
