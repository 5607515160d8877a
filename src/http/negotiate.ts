import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { AppError } from '../errors.ts'

/** The representation that the caller likes best, of those on offer; the first where it does not mind. Else 406. */
export function chooseType<T extends string>(request: FastifyRequest, offers: readonly [T, ...T[]]): T {
  const { accept } = request.headers
  if (accept === undefined || accept === '*/*') return offers[0]
  const chosen = new Negotiator(request).mediaType([...offers])
  const found = offers.find((offer) => offer === chosen)
  if (found) return found
  throw new AppError(
    'not_acceptable',
    `This can be had as ${offers.join(', ')}, but the request accepts none of these.`,
  )
}
