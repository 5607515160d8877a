import type { FastifyReply } from 'fastify'

/** Adds a value to a header that is a list, such as `Vary` or `Link`. */
export function appendHeader(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  reply.header(name, before === undefined ? value : `${before}, ${value}`)
}

interface Tagged {
  readonly etag: string
  readonly url: string
}

/** Sets the `ETag` of a response to that of its body. */
export function withEtag<T extends Pick<Tagged, 'etag'>>(reply: FastifyReply, body: T): T {
  reply.header('ETag', body.etag)
  return withProposal(reply, body)
}

/** Of a proposal: 202, with the address of what was proposed as `Location`. */
export function withProposal<T extends object>(reply: FastifyReply, body: T): T {
  const { changeRequest, url } = body as { changeRequest?: { number: number }; url?: string } // as responses to writes have them
  if (!changeRequest) return body
  const path = url === undefined ? (reply.request.url.split('?')[0] ?? '') : new URL(url).pathname
  reply.code(202).header('Location', `${path}?changeRequest=${changeRequest.number}`)
  return body
}

/** The same for a write: 201 with `Location` if the resource is new. */
export function withWritten<T extends Tagged>(reply: FastifyReply, body: T, created: boolean): T {
  if (created) reply.code(201).header('Location', new URL(body.url).pathname)
  return withEtag(reply, body)
}
