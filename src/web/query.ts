import type { FastifyRequest } from 'fastify'

/** The query of an address, with names that stand more than once: for screens whose whole state it is. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  const at = request.url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : request.url.slice(at + 1))
}

/** The address with the query, where there is any. */
export function withQuery(path: string, query: URLSearchParams): string {
  return query.size === 0 ? path : `${path}?${query}`
}
