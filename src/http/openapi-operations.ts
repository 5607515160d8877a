/** Marks an operation whose body may be left out; the generator requires every body. */
export const OPTIONAL_BODY = 'x-optional-body'

/** The headers of the successful responses of an operation. */
export const RESPONSE_HEADERS = 'x-response-headers'

/** An operation as the generator writes it: without references. */
interface Operation {
  [OPTIONAL_BODY]?: boolean
  [RESPONSE_HEADERS]?: object
  requestBody?: { content: Content; required?: boolean }
  responses: Record<string, { description: string; content?: Content; headers?: object }>
}

type Content = Record<string, { schema?: object }>

/** Every error is a problem document. */
const PROBLEM = {
  description: 'A problem document (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/**
 * Adds what the schemas of routes lack: they describe JSON, which is one of several media types of some bodies, and
 * successful responses.
 */
export function completeOperations({ paths = {} }: { readonly paths?: object | undefined }): void {
  for (const methods of Object.values(paths)) {
    // The operations that the generator creates from routes.
    for (const operation of Object.values(methods as Record<string, Operation>)) {
      const { requestBody, responses } = operation
      if (requestBody && operation[OPTIONAL_BODY]) requestBody.required = false
      const headers = operation[RESPONSE_HEADERS] ?? {}
      delete operation[OPTIONAL_BODY]
      delete operation[RESPONSE_HEADERS]
      describeOthers(requestBody?.content)
      for (const response of Object.values(responses)) {
        describeOthers(response.content)
        if (Object.keys(headers).length > 0) response.headers = headers
      }
      responses.default ??= PROBLEM
    }
  }
}

/** The bytes of other types than JSON: text, or bytes, which have no schema in OpenAPI 3.1. */
function describeOthers(content: Content = {}): void {
  for (const type of Object.keys(content)) {
    if (/\bjson\b/.test(type)) continue
    content[type] = type.startsWith('text/') ? { schema: { type: 'string' } } : {}
  }
}
