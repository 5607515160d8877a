import { AppError } from '@recto/contract/errors.ts'
import { splitHeader } from '@recto/lib/network/header-values.ts'
import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

/** The preferred one of the offered representations; the first if the client has no preference. Else 406. */
export function chooseType<T extends string>(request: FastifyRequest, offers: readonly [T, ...T[]]): T {
  const { accept } = request.headers
  if (accept === undefined || accept === '*/*') return offers[0]
  const exact = offers.find((offer) => offer === accept)
  if (exact) return exact
  const chosenType = new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaType([...offers])
  const offeredType = offers.find((offer) => offer === chosenType)
  if (offeredType) return offeredType
  const detail = `This is available as ${offers.join(', ')}, and the request accepts none of them.`
  throw new AppError('not_acceptable', detail, { headers: { Vary: 'Accept' } })
}

/** Whether Accept names a type; a wildcard or a weight of 0 does not. */
export function accepts(request: FastifyRequest, type: string): boolean {
  const { accept } = request.headers
  if (accept === undefined) return false
  const types = new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaTypes()
  return types.some((typeName) => typeName.toLowerCase() === type)
}

/**
 * Whether a person waits for a document: a browser that navigates, by W3C Fetch Metadata. Browsers send no metadata
 * over plain HTTP (except to localhost): there a request that names HTML and has no key is taken for theirs.
 */
export function navigates(request: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, authorization } = request.headers
  if (mode !== undefined) return mode === 'navigate'
  return authorization === undefined && accepts(request, 'text/html')
}

/** The header with only type and weight of each media range: `text/markdown; charset=utf-8` names the type. */
function withoutParameters(accept: string): string {
  return splitHeader(accept, ',')
    .map((range) => {
      const [type, ...parameters] = splitHeader(range, ';')
      return [type, ...parameters.filter((parameter) => /^q\s*=/i.test(parameter)).slice(0, 1)].join(';')
    })
    .join(',')
}
