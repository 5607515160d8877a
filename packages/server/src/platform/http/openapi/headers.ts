import { Type } from 'typebox'
import { API_VERSIONS } from '../api-version.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Headers of requests and successful responses of the route, for the OpenAPI document. */
    headers?: OperationHeaders
  }
}

/** Headers that operations read. They are described, not validated: their parsers report errors. */
const REQUEST_HEADERS = {
  'if-match': 'The ETag that the resource must have; `*`: any.',
  'if-none-match': 'On a read: ETags that the caller has, answered with 304. On a write: `*` only creates.',
  range: 'Ranges of bytes (RFC 9110, section 14).',
  'if-range': 'The ETag for which the range is meant; for another one the response is the whole.',
  'repr-digest': 'The `sha-256` of the bytes (RFC 9530), which is checked.',
  prefer:
    '`return=minimal` leaves out the body of the response, `return=representation` sends it (RFC 7240). ' +
    'Default: it is sent.',
  'idempotency-key': 'Makes retries idempotent: a request that is sent again within 24 hours gets the stored response.',
} as const

/** Headers of responses, by name: the components that the responses refer to. */
const RESPONSE_HEADERS = {
  ETag: 'Names the version: send it as `If-Match` or `If-None-Match`.',
  Location: 'The address of what was created, or where it is now.',
  Link: 'Related addresses (RFC 8288): the next page of a list, other forms and versions of a page.',
  'Repr-Digest': 'The `sha-256` of all bytes, also of those that a range leaves out (RFC 9530); not of JSON and HTML.',
  'Content-Range': 'Which bytes these are, on 206.',
  'Preference-Applied': 'The preference of `Prefer` that the response follows.',
  'Retry-After': 'Seconds after which to send the request again.',
  'WWW-Authenticate': 'How to authenticate (RFC 6750).',
  'Recto-Version': 'The version of the API.',
  'X-Request-Id': 'Identifies the request in the log of the service.',
  RateLimit: 'What is left of the quota of the key, and the seconds until it is full again: `"default";r=599;t=60`.',
  'RateLimit-Policy': 'Requests of a key in a window of seconds: `"default";q=600;w=60`.',
} as const
type ResponseHeader = keyof typeof RESPONSE_HEADERS

export interface OperationHeaders {
  readonly request?: readonly (keyof typeof REQUEST_HEADERS)[]
  readonly response?: readonly ResponseHeader[]
}

/** Headers of a resource that has versions: reads, and writes that name the version that they change. */
const READ_HEADERS = { request: ['if-none-match'], response: ['ETag', 'Link'] } satisfies OperationHeaders
/** The same of a resource that is also sent in ranges. */
export const RANGE_HEADERS = {
  request: [...READ_HEADERS.request, 'range', 'if-range'],
  response: [...READ_HEADERS.response, 'Repr-Digest', 'Content-Range'],
} satisfies OperationHeaders
/** The same of a resource without other representations, and of a list. */
export const TAGGED_HEADERS = { request: ['if-none-match'], response: ['ETag'] } satisfies OperationHeaders
/** Not a schema of a body: 304 has none. */
export const notModifiedSchema = Type.Null({ description: 'Not modified: what the caller has is current.' })
/** A write whose response is the resource. */
export const WRITE_HEADERS = {
  request: ['if-match', 'prefer'],
  response: ['ETag', 'Preference-Applied'],
} satisfies OperationHeaders
/** The same without conditions. */
export const SET_HEADERS = { request: ['prefer'], response: ['Preference-Applied'] } satisfies OperationHeaders
/** A creation whose response is the resource. */
export const CREATE_HEADERS = {
  request: ['prefer'],
  response: ['ETag', 'Location', 'Preference-Applied'],
} satisfies OperationHeaders
export const RESTORE_HEADERS = {
  request: ['prefer'],
  response: ['ETag', 'Preference-Applied'],
} satisfies OperationHeaders
/** A move: its response is a report. */
export const MOVE_HEADERS = { request: ['if-match'], response: ['ETag'] } satisfies OperationHeaders
export const PUT_HEADERS = {
  request: ['if-match', 'if-none-match', 'prefer'],
  response: ['ETag', 'Location', 'Preference-Applied'],
} satisfies OperationHeaders

/** The request headers of a route as a schema. */
export function requestHeaders(names: OperationHeaders['request'] = []): object {
  const properties = names.map((name) => [
    name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    { type: 'string', description: REQUEST_HEADERS[name] },
  ])
  return { type: 'object', properties: { ...Object.fromEntries(properties), 'Recto-Version': VERSION } }
}

/** Every operation reads it. */
const VERSION = {
  type: 'string',
  enum: API_VERSIONS,
  description: 'The version of the API that the client was written for. Default: the latest.',
}

export const HEADER_COMPONENTS = Object.fromEntries(
  Object.entries(RESPONSE_HEADERS).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' as const } },
  ]),
)

/** Response headers as references to their components. */
export function referToHeaders(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
