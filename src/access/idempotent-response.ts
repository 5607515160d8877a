import type { FastifyReply, FastifyRequest } from 'fastify'
import { withResultMapped } from '../database/transaction.ts'
import type { Ctx } from './ctx.ts'
import type { StoredResponse } from './store-idempotency.ts'

const MAX_ANSWER_BYTES = 1024 * 1024
/** What else an answer says is made anew with each. */
const KEPT_HEADERS = ['content-type', 'etag', 'location'] as const

/**
 * The context of a handler whose answer follows from what its use case settles: both are committed together. `respond`
 * sets status and headers and returns what is sent; it is called for the answer itself, too.
 */
export function withIdempotentResponse<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (result: T) => unknown,
): Ctx {
  return withResultMapped(request.ctx, (result: T): StoredResponse => {
    const body = Buffer.from(String(reply.serialize(respond(result) as object))) // declared too narrowly
    reply.type('application/json; charset=utf-8')
    const answer = { status: reply.statusCode, headers: keptHeaders(reply), body }
    // The change may still be refused: nothing of this is to stand beside a problem.
    for (const name of KEPT_HEADERS) reply.removeHeader(name)
    reply.code(200)
    return answer
  })
}

/** What is sent, as it is kept; undefined for what cannot be: a stream, or too much. */
export function storableResponse(reply: FastifyReply, payload: unknown): StoredResponse | undefined {
  const body = bytesOf(payload)
  return body && bounded({ status: reply.statusCode, headers: keptHeaders(reply), body })
}

/** Whether what a use case settled is an answer already, and not what one is made of. */
export function isStoredResponse(result: unknown): result is StoredResponse {
  return typeof result === 'object' && result !== null && 'status' in result && 'body' in result
}

/** The answer, unless it is too large to be kept. */
export function bounded(answer: StoredResponse): StoredResponse | undefined {
  return answer.body.length <= MAX_ANSWER_BYTES ? answer : undefined
}

function bytesOf(payload: unknown): Buffer | undefined {
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
