import type { FastifyReply, FastifyRequest } from 'fastify'
import { withResultMapped } from '../../platform/database/transaction.ts'
import type { StoredResponse } from './store.ts'

const MAX_ANSWER_BYTES = 1024 * 1024
/** The stored headers; all others are set again for each response. */
const KEPT_HEADERS = ['content-type', 'etag', 'location'] as const

/**
 * The context of a handler whose response follows from the result of its use case: both are committed together.
 * `respond` sets status and headers, and returns the body; it is called again for the actual response.
 */
export function withIdempotentResponse<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (result: T) => unknown,
): FastifyRequest['ctx'] {
  return withResultMapped(request.ctx, (result: T): StoredResponse => {
    const body = Buffer.from(String(reply.serialize(respond(result) as object))) // the type of Fastify is too narrow
    reply.type('application/json; charset=utf-8')
    const answer = { status: reply.statusCode, headers: keptHeaders(reply), body }
    // The change may still fail: these headers must not be sent with an error.
    for (const name of KEPT_HEADERS) reply.removeHeader(name)
    reply.code(200)
    return answer
  })
}

/** The response to store; undefined for a stream or a response that is too large. */
export function storableResponse(reply: FastifyReply, payload: unknown): StoredResponse | undefined {
  const body = toBytes(payload)
  return body && bounded({ status: reply.statusCode, headers: keptHeaders(reply), body })
}

/** Whether a saved result is a response already. */
export function isStoredResponse(result: unknown): result is StoredResponse {
  return typeof result === 'object' && result !== null && 'status' in result && 'body' in result
}

/** The response, unless it is too large to be stored. */
export function bounded(answer: StoredResponse): StoredResponse | undefined {
  return answer.body.length <= MAX_ANSWER_BYTES ? answer : undefined
}

function toBytes(payload: unknown): Buffer | undefined {
  if (payload === undefined || payload === null) return Buffer.alloc(0)
  if (typeof payload === 'string') return Buffer.from(payload)
  return Buffer.isBuffer(payload) ? payload : undefined
}

function keptHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name)
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
