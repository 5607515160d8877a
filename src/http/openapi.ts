import swagger from '@fastify/swagger'
import { type TSchema, Type } from 'typebox'
import { ERRORS } from '../error-table.ts'
import { PATCH_TYPES } from './merge-patch.ts'
import { requestHeaders, responseHeaders } from './openapi-headers.ts'
import { completeOperations, OPTIONAL_BODY, RESPONSE_HEADERS } from './openapi-operations.ts'
import { TAGS } from './openapi-tags.ts'
import type { Server } from './server.ts'

/** The body of every error response: a problem document (RFC 9457) with the members that all problems have. */
const problemSchema = {
  type: 'object' as const,
  description: 'A problem document, `application/problem+json`. Some problems have further members.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  additionalProperties: true,
  properties: {
    type: { type: 'string' as const, description: 'A URL that explains the code.' },
    title: { type: 'string' as const },
    status: { type: 'integer' as const },
    detail: { type: 'string' as const, description: 'What went wrong, for people.' },
    code: { type: 'string' as const, enum: Object.keys(ERRORS), description: 'The contract.' },
    requestId: { type: 'string' as const },
    issues: {
      type: 'array' as const,
      description: 'Each wrong place of the input.',
      items: {
        type: 'object' as const,
        required: ['path', 'message'],
        properties: { path: { type: 'string' as const }, message: { type: 'string' as const } },
      },
    },
  },
}

const isOptional = (schema: unknown) => Type.IsOptional(schema as TSchema) // all of ours are of TypeBox

/** Describes every route with the schemas that validate it; call it before the routes are added. */
export async function describeRoutes(
  app: Server,
  version: string,
  more: { readonly schemas: Readonly<Record<string, object>>; readonly webhooks: object },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Recto',
        version,
        description:
          'A page workspace for people and agents. Errors are problem documents (RFC 9457) whose `code` is the contract.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [...TAGS],
      webhooks: { ...more.webhooks },
      components: {
        schemas: { Problem: problemSchema, ...more.schemas },
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `svc_…`.' } },
      },
      security: [{ apiKey: [] }],
    },
    transform: ({ schema, url, route: { config } }) => ({
      schema: {
        ...schema,
        headers: requestHeaders([
          ...(config?.headers?.request ?? []),
          ...(config?.idempotency ? (['idempotency-key'] as const) : []),
        ]),
        [RESPONSE_HEADERS]: responseHeaders(config?.headers?.response),
        ...(config?.mergePatch && { consumes: [...PATCH_TYPES] }),
        ...(isOptional(schema?.body) && { [OPTIONAL_BODY]: true }),
      },
      url,
    }),
    transformObject: (document) => {
      if ('openapiObject' in document) completeOperations(document.openapiObject)
      return 'openapiObject' in document ? document.openapiObject : document.swaggerObject
    },
  })
}
