import type { FastifyReply } from 'fastify'

/** Adds a value to a header that is a list, such as `Vary` or `Link`. */
export function appendHeader(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  reply.header(name, before === undefined ? value : `${before}, ${value}`)
}
