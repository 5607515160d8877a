import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** In characters. */
const CHUNK_LENGTH = 64 * 1024

/** Serialises a JSON object as a stream: the members of `head`, then `lists`, whose items come one at a time. */
export async function* streamObject(
  head: Readonly<Record<string, unknown>>,
  lists: Readonly<Record<string, AsyncIterable<unknown> | Iterable<unknown>>>,
): AsyncGenerator<string> {
  let chunk = JSON.stringify(head).slice(0, -1)
  for (const [member, items] of Object.entries(lists)) {
    chunk += `${chunk === '{' ? '' : ','}${JSON.stringify(member)}:[`
    let separator = ''
    for await (const item of items) {
      chunk += separator + JSON.stringify(item)
      separator = ','
      if (chunk.length < CHUNK_LENGTH) continue
      yield chunk
      chunk = ''
    }
    chunk += ']'
  }
  yield `${chunk}}`
}

/** Joins small strings, so that small items do not cause small writes. Buffers pass as they are. */
export async function* inChunks<Part extends string | Buffer>(
  parts: AsyncIterable<Part>,
): AsyncGenerator<string | Part> {
  let chunk = ''
  for await (const part of parts) {
    if (typeof part === 'string') chunk += part
    if (chunk.length >= CHUNK_LENGTH || (typeof part !== 'string' && chunk !== '')) {
      yield chunk
      chunk = ''
    }
    if (typeof part !== 'string') yield part
  }
  if (chunk !== '') yield chunk
}

/** Sends streamed JSON. An error truncates the response, which is then not valid JSON. */
export function sendJsonStream(reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(parts))
}
