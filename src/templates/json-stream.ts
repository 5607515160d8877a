import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Pieces are gathered to this length, so that a stream of small items is no stream of small writes. */
const CHUNK_LENGTH = 64 * 1024

/**
 * A JSON object as it is sent: the members of `head`, then `member` with an array of the items, one after the other.
 * Only the item at hand is held.
 */
export async function* streamObject(
  head: Readonly<Record<string, unknown>>,
  member: string,
  items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  const start = JSON.stringify(head).slice(0, -1)
  let chunk = `${start}${start === '{' ? '' : ','}${JSON.stringify(member)}:[`
  let separator = ''
  for await (const item of items) {
    chunk += separator + JSON.stringify(item)
    separator = ','
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
  }
  yield `${chunk}]}`
}

/** Answers with JSON that is made while it is sent. A fault in the middle cuts the answer short: it is no JSON then. */
export function sendJsonStream(reply: FastifyReply, pieces: AsyncIterable<string>): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces))
}
