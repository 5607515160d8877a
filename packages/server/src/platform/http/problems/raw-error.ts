import { METHODS, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { rewritePageUrl } from '@recto/contract/page-url.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { toProblem, toStatus } from './problem.ts'

/** Node's error for a request that it could not parse. */
export interface ClientError extends Error {
  readonly code?: string
  readonly rawPacket?: unknown
}

export interface RawErrorOptions {
  readonly origin: string
  readonly allowedAt: (target: string) => string | undefined
}

const CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request was not complete in time.'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The URL and the headers have at most 16 KiB together.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'The chunk extensions are too large.'],
}
const REQUEST_LINE = /^([!#$%&'*+.^_`|~\w-]{1,64}) (\S{1,16384}) HTTP\/1\.[01]\r?\n/
/** How long the rest of a request is discarded: closing at once would reset the connection and lose the response. */
const LINGER_MS = 2_000

const answeredSockets = new WeakSet<Duplex>()

/** Responds on the bare socket to what Node's parser rejects, or what arrived too slowly: there is no request yet. */
export function answerClientError(error: ClientError, socket: Duplex, options: RawErrorOptions): void {
  // The parser rejects each further packet, too.
  if (answeredSockets.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  answerRaw(socket, toAppError(error, options), options.origin)
}

/** Sends a problem on a socket and closes it. */
export function answerRaw(socket: Duplex, error: AppError, origin: string): void {
  answeredSockets.add(socket)
  const requestId = uuid7()
  const body = JSON.stringify(toProblem(error, requestId, origin))
  const status = toStatus(error.code)
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Cache-Control: no-store',
      ...Object.entries(error.extras.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function toAppError(error: ClientError, { allowedAt }: RawErrorOptions): AppError {
  if (error.code === 'HPE_INVALID_METHOD') {
    // Node does not know the method: the URL determines which are allowed. If it does, the error is in what follows
    // this request.
    const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : ''
    const [, method = '', target = ''] = REQUEST_LINE.exec(packet) ?? []
    const allow = target === '' || METHODS.includes(method) ? undefined : allowedAt(rewritePageUrl(target))
    if (allow !== undefined) return methodNotAllowed(method, allow)
  }
  const [code, detail] = CODES[error.code ?? ''] ?? ['invalid_request', 'The request is not valid HTTP.']
  return new AppError(code, detail)
}

/** The error for an unsupported method; `allow` lists the supported ones. */
export function methodNotAllowed(method: string, allow: string): AppError {
  const has = allow === '' ? 'no others' : allow
  return new AppError('method_not_allowed', `This URL does not support ${method}: it has ${has}.`, {
    headers: { Allow: allow },
  })
}
