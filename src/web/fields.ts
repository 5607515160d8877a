import type { FastifyReply } from 'fastify'

/** After a change a browser goes on with GET, so that loading the page again changes nothing. */
export function seeOther(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('Cache-Control', 'no-store').redirect(address, 303)
}
