import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../errors.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { problemOf, statusOf } from './problem.ts'

const CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request was not complete in time.'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The address and the headers have at most 16 KiB together.'],
}

/** Answers what is not HTTP, or came too slowly, on the bare socket: no request exists yet. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, origin: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [code, detail] = CODES[error.code ?? ''] ?? ['invalid_request', 'The request is not valid HTTP.']
  const requestId = uuid7()
  const body = JSON.stringify(problemOf(new AppError(code, detail), requestId, origin))
  socket.end(
    [
      `HTTP/1.1 ${statusOf(code)} Refused`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
