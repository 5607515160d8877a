import type { FastifyReply } from 'fastify'

interface Tagged {
  readonly etag: string
  readonly url: string
}

/** Sets the `ETag` of a response to that of its body. */
export function withEtag<T extends Pick<Tagged, 'etag'>>(reply: FastifyReply, body: T): T {
  reply.header('ETag', body.etag)
  return body
}

/** The same for a write: 201 with `Location` if the resource is new. */
export function withWritten<T extends Tagged>(reply: FastifyReply, body: T, created: boolean): T {
  if (created) reply.code(201).header('Location', new URL(body.url).pathname)
  return withEtag(reply, body)
}
