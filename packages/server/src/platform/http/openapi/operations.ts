import { referToHeaders } from './headers.ts'
import { type ErrorCodes, type ProblemResponses, problemName } from './problems.ts'

/** Marks an operation whose body may be left out; the generator requires every body. */
export const OPTIONAL_BODY = 'x-optional-body'

/** What the generator does not know of an operation. */
export const OPERATION_FACTS = 'x-operation-facts'

export interface OperationFacts {
  readonly errors: ErrorCodes
  /** The headers of successful responses. */
  readonly headers: readonly string[]
  /** Whether browsers without a session are sent to the sign-in. */
  readonly redirectsToSignIn: boolean
}

/** An operation as the generator writes it: without references. */
interface Operation {
  [OPTIONAL_BODY]?: boolean
  [OPERATION_FACTS]?: OperationFacts
  requestBody?: { content: Content; required?: boolean }
  responses: Record<string, Response>
  parameters?: { name: string; style?: string; explode?: boolean; schema?: { explode?: boolean } }[]
}

interface Response {
  description: string
  content?: Content
  headers?: object
}

type Content = Record<string, { schema?: object }>

/** What the generator writes where a response has no description. */
const NO_DESCRIPTION = 'Default Response'
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted: the work continues.',
  204: 'Success, without a body.',
  304: 'Not modified: what the caller has is current.',
}
const WITHOUT_BODY = new Set(['204', '304'])

/**
 * Adds what the schemas of routes lack: they describe JSON, which is one of several media types of some bodies, and
 * successful responses. Adds the responses of errors to `problems`.
 */
export function completeOperations(
  { paths = {} }: { readonly paths?: object | undefined },
  problems: ProblemResponses,
): void {
  for (const methods of Object.values(paths)) {
    // The operations that the generator creates from routes.
    for (const operation of Object.values(methods as Record<string, Operation>)) {
      const { requestBody, responses, [OPERATION_FACTS]: facts } = operation
      if (requestBody && operation[OPTIONAL_BODY]) requestBody.required = false
      delete operation[OPTIONAL_BODY]
      delete operation[OPERATION_FACTS]
      describeOthers(requestBody?.content)
      describeLists(operation)
      addVariants(responses, facts?.headers ?? [])
      completeResponses(responses, facts?.headers ?? [])
      if (facts) addErrors(responses, facts, problems)
    }
  }
}

function completeResponses(responses: Record<string, Response>, headers: readonly string[]): void {
  for (const [status, response] of Object.entries(responses)) {
    describeOthers(response.content)
    if (response.description === NO_DESCRIPTION) response.description = DESCRIPTIONS[status] ?? ''
    if (WITHOUT_BODY.has(status)) delete response.content
    const sentHeaders = status === '206' ? headers : headers.filter((name) => name !== 'Content-Range')
    response.headers = referToHeaders(sentHeaders)
  }
}

/** Query parameters with commas between their values. */
function describeLists({ parameters = [] }: Operation): void {
  for (const parameter of parameters) {
    if (parameter.schema?.explode !== false) continue
    Object.assign(parameter, { style: 'form', explode: false })
    delete parameter.schema.explode
  }
}

/** The responses that follow from headers of the request: a range, and none of the resource that was written. */
function addVariants(responses: Record<string, Response>, headers: readonly string[]): void {
  const { 200: complete } = responses
  if (!complete) return
  if (headers.includes('Preference-Applied')) {
    responses[204] = { description: 'Success, without the resource, as `Prefer: return=minimal` asks.' }
  }
  if (!headers.includes('Content-Range')) return
  const { 'application/json': _json, 'text/html': _html, ...bytes } = complete.content ?? {}
  responses[206] = { description: 'The range of the bytes that was asked for.', content: bytes }
}

function addErrors(
  responses: Record<string, object>,
  { errors, redirectsToSignIn }: OperationFacts,
  problems: ProblemResponses,
): void {
  if (redirectsToSignIn) {
    responses[303] ??= {
      description: 'A browser without a session is sent to the sign-in.',
      headers: referToHeaders(['Location']),
    }
  }
  for (const [status, codes] of errors) {
    responses[status] = { $ref: `#/components/responses/${problemName(codes, problems)}` }
  }
}

/** JSON, and forms, which have a schema of their own. */
const DESCRIBED = /\bjson\b|^multipart\//
const TEXT = /^text\/|ndjson$|urlencoded$/

/**
 * The bodies of other types than JSON: text, or bytes. OpenAPI 3.1 needs no schema for bytes, but generators of clients
 * leave out a body that has none, or send it as JSON; they know the `format` of OpenAPI 3.0.
 */
function describeOthers(content: Content = {}): void {
  for (const type of Object.keys(content)) {
    if (DESCRIBED.test(type)) continue
    content[type] = { schema: TEXT.test(type) ? { type: 'string' } : { type: 'string', format: 'binary' } }
  }
}
