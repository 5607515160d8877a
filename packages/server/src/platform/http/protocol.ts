import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { answerRaw, methodNotAllowed } from './problems/raw-error.ts'
import type { Server } from './server.ts'

/**
 * Rejects requests that Node would answer itself with an empty body, so that they get a problem document like any other
 * error: those without `Host` (RFC 9112, section 3.2), and with an unknown `Expect` (RFC 9110, section 10.1.1). The
 * same is true of bodies with a transfer coding that Node passes on undecoded (RFC 9112, section 6.1), and of several
 * lines of a header that has one value.
 */
export function checkProtocol({ raw, headers }: FastifyRequest): void {
  rejectRepeated(raw.rawHeaders)
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new AppError('invalid_request', 'A request of HTTP/1.1 needs a Host header.')
  }
  const { expect, 'transfer-encoding': coding } = headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new AppError('invalid_request', 'The only transfer coding that is supported is chunked.')
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new AppError('expectation_failed', 'The only expectation that is supported is 100-continue.')
  }
}

/** Passes on the requests with `Expect` that Node would answer, and rejects CONNECT. */
export function acceptExpectations({ server }: Server, config: { readonly publicUrl: string }): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    server.emit('request', request, response)
  })
  server.on('connect', ({ method = '' }, socket) => answerRaw(socket, methodNotAllowed(method, ''), config.publicUrl))
}

/** Sends 100 Continue when the body is read: a request that is rejected before that never sends its body. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.on('newListener', function onListener(event) {
    if (event !== 'data' && event !== 'readable') return
    request.off('newListener', onListener)
    if (!response.headersSent) response.writeContinue()
  })
}

/** Headers with one value: a proxy may act on another line than this service (RFC 9110, section 5.3). */
const SINGLE = ['Host', 'Authorization', 'Content-Type', 'If-Modified-Since', 'If-Unmodified-Since']
const SINGLE_BY_LENGTH = new Map(SINGLE.map((name) => [name.length, name]))

/** Node keeps the first of several; the raw headers have them all. */
function rejectRepeated(rawHeaders: readonly string[]): void {
  let seenNames = ''
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? ''
    const name = SINGLE_BY_LENGTH.get(raw.length)
    if (name === undefined || name.toLowerCase() !== raw.toLowerCase()) continue
    if (seenNames.includes(name)) throw new AppError('invalid_request', `The request has more than one ${name} header.`)
    seenNames += name
  }
}
