import { inputError } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { linkHeader } from './headers/link-header.ts'
import { appendHeader } from './headers/response-headers.ts'
import { addRouteHooks } from './hooks.ts'

/** The versions of the API by date, oldest first. A request names the one that it was written for. */
export const API_VERSIONS = ['2026-11-22'] as const
const LATEST = API_VERSIONS.at(-1) ?? API_VERSIONS[0]

/** An operation that goes away. */
interface Deprecation {
  /** The date since when it is deprecated. */
  readonly since: string
  /** The date from which it may fail: a year after `since` or later. */
  readonly sunset?: string
  /** The section of docs/api.md, or another document, that says what to use instead. */
  readonly guide: string
}

/** The deprecated operations by `operationId`: the one place that the headers and the OpenAPI document follow from. */
const DEPRECATIONS: Readonly<Record<string, Deprecation>> = {}

/** Checks `Recto-Version` of requests, and sends it with responses. */
export function announceVersion(request: FastifyRequest, reply: FastifyReply): void {
  // Operations of the API, and URLs that do not exist.
  if (request.routeOptions.schema?.hide) return
  reply.header('Recto-Version', LATEST)
  const { 'recto-version': requestedVersion } = request.headers
  if (requestedVersion !== undefined) requireKnown(String(requestedVersion))
}

/** Responses of `deprecations` have `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the successor. */
export function announceDeprecations(deprecations: Readonly<Record<string, Deprecation>> = DEPRECATIONS) {
  return (route: RouteOptions): void => {
    const { operationId = '' } = route.schema ?? {}
    const deprecation = Object.hasOwn(deprecations, operationId) ? deprecations[operationId] : undefined
    if (!deprecation) return
    route.schema = { ...route.schema, deprecated: true }
    addRouteHooks(route, {
      onSend: (_request, reply, _payload, done) => {
        announce(reply, deprecation)
        done()
      },
    })
  }
}

function requireKnown(version: string): void {
  if (API_VERSIONS.some((knownVersion) => knownVersion === version)) return
  const message = `must be ${API_VERSIONS.length > 1 ? 'one of ' : ''}${API_VERSIONS.join(', ')}`
  throw inputError('invalid_request', `Recto-Version ${message}.`, 'Recto-Version', message)
}

function announce(reply: FastifyReply, { since, sunset, guide }: Deprecation): void {
  reply.header('Deprecation', `@${Date.parse(since) / 1000}`)
  if (sunset !== undefined) reply.header('Sunset', new Date(sunset).toUTCString())
  appendHeader(reply, 'Link', linkHeader([{ url: guide, rel: 'deprecation', type: 'text/html' }]))
}
