import { inputError } from '@recto/contract/errors.ts'
import { isWithinEdits } from '@recto/lib/text/edits.ts'
import type { FastifyRequest } from 'fastify'

/** Parameters of other requests. A read that ignored a misspelt one would answer something else. */
const ELSEWHERE = ['changeRequest']
/** Words of fewer letters differ from too many others by one. */
const MIN_LETTERS = 3

/** Rejects a parameter that is none of a route, and differs from a known one in case or by one letter. */
export function rejectMisspeltParameters(request: FastifyRequest): void {
  for (const name of unknownNames(request)) {
    const meantName = [...knownNames(request), ...ELSEWHERE].find((knownName) => isMisspelt(name, knownName))
    if (meantName === undefined) continue
    const message = `is not known; did you mean \`${meantName}\`?`
    throw inputError('invalid_request', `The parameter \`${name}\` ${message}`, `/${name}`, message)
  }
}

/** Removes the other unknown parameters, which links get on their way (`utm_source`, `fbclid`). */
export function ignoreUnknownParameters(request: FastifyRequest): void {
  rejectMisspeltParameters(request)
  const query = request.query as Record<string, unknown> // an object, as every parsed query
  for (const name of unknownNames(request)) if (!ELSEWHERE.includes(name)) delete query[name]
}

export function hasUnknownParameters(request: FastifyRequest): boolean {
  return unknownNames(request).length > 0
}

function knownNames({ routeOptions }: FastifyRequest): readonly string[] {
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as { readonly properties?: object } // an object schema
  return Object.keys(properties)
}

function unknownNames(request: FastifyRequest): readonly string[] {
  const names = Object.keys(request.query as object) // as above
  if (names.length === 0) return names
  const knownNameSet = new Set(knownNames(request))
  return names.filter((name) => !knownNameSet.has(name))
}

function isMisspelt(name: string, knownName: string): boolean {
  if (name.toLowerCase() === knownName.toLowerCase()) return true
  return knownName.length >= MIN_LETTERS && isWithinEdits(name.toLowerCase(), knownName.toLowerCase(), 1)
}
