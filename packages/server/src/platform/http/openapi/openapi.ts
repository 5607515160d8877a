import swagger from '@fastify/swagger'
import { ERRORS } from '@recto/contract/error-table.ts'
import { type TSchema, Type } from 'typebox'
import { PATCH_TYPES } from '../bodies/body.ts'
import type { Server } from '../server.ts'
import { referToSchemas } from './components.ts'
import { type DescribedRoute, listErrors } from './errors.ts'
import { addExamples, type Examples } from './examples.ts'
import { HEADER_COMPONENTS, requestHeaders } from './headers.ts'
import { completeOperations, OPERATION_FACTS, OPTIONAL_BODY, type OperationFacts } from './operations.ts'
import { separateRequestBodies, withDefaultsInWords } from './request-bodies.ts'
import { findScope, listCredentials, SCOPE, SECURITY_SCHEMES } from './security.ts'
import { describeSparseItems } from './sparse-items.ts'

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
    localDetail: {
      type: 'string' as const,
      description:
        'The detail in the language of a browser, unless that is English. Requests with a key do not get it.',
    },
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
  more: {
    /** The schemas to which the document refers by name. */
    readonly schemas: Readonly<Record<string, object>>
    readonly webhooks: object
    readonly examples: Examples
  },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: buildInfo(version),
      tags: [...TAGS],
      webhooks: { ...more.webhooks },
      components: {
        schemas: { Problem: problemSchema },
        headers: HEADER_COMPONENTS,
        securitySchemes: SECURITY_SCHEMES,
      },
    },
    transform: ({ schema = {}, url, route }) => {
      const routeDescriptions = { method: String(route.method), url, schema, config: route.config ?? {} }
      return { schema: documentedSchema(routeDescriptions), url }
    },
    transformObject: (documentObject) => {
      if (!('openapiObject' in documentObject)) return documentObject.swaggerObject
      const responses = {}
      completeOperations(documentObject.openapiObject, responses)
      separateRequestBodies(documentObject.openapiObject.paths ?? {})
      const { document, schemas } = referToSchemas(documentObject.openapiObject, more.schemas)
      describeSparseItems(document.paths ?? {}, schemas)
      addExamples(document.paths ?? {}, more.examples)
      Object.assign(document.components ?? {}, { responses })
      Object.assign(document.components?.schemas ?? {}, withDefaultsInWords(schemas))
      for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path ?? {}))) {
        const { requestBody } = operation as { requestBody?: object } // of a path item with operations only
        if (requestBody) Object.assign(requestBody, withDefaultsInWords(requestBody))
      }
      return document
    },
  })
}

function buildInfo(version: string) {
  return {
    title: 'Recto',
    version,
    description:
      'A page workspace for people and agents. Errors are problem documents (RFC 9457) whose `code` is the contract.',
    contact: { name: 'The administrators of this installation' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  }
}

/** The schema of a route with what follows from its settings. */
function documentedSchema(route: DescribedRoute) {
  const { schema, config } = route
  return {
    ...schema,
    security: schema.security ?? listCredentials(route),
    description: formatDescription(route),
    headers: requestHeaders([
      ...(config.headers?.request ?? []),
      ...(config.idempotency ? (['idempotency-key'] as const) : []),
    ]),
    ...(!config.public && { [SCOPE]: findScope(route) }),
    [OPERATION_FACTS]: buildFacts(route),
    ...(config.mergePatch && { consumes: [...PATCH_TYPES] }),
    ...(isOptional(schema.body) && { [OPTIONAL_BODY]: true }),
    ...(schema.consumes && schema.body === undefined && { body: config.describedBody ?? {} }),
  }
}

/** What the route says of itself, and the scope that it needs. */
function formatDescription(route: DescribedRoute): string {
  const { summary = '', description = `${summary}.` } = route.schema
  return route.config.public ? description : `${description} Scope: \`${findScope(route)}\`.`
}

function buildFacts(route: DescribedRoute): OperationFacts {
  const { config, method, schema } = route
  return {
    errors: listErrors(route),
    headers: [
      ...new Set([
        ...(config.headers?.response ?? []),
        ...(isList(schema.response) ? ['Link'] : []),
        'X-Request-Id',
        'Recto-Version',
        ...(config.public ? [] : ['RateLimit', 'RateLimit-Policy']),
      ]),
    ],
    redirectsToSignIn: method === 'GET' && !config.public,
  }
}

/** Whether the response may be a page of a list, which links to the next one. */
function isList(response: unknown): boolean {
  const { 200: list } = (response ?? {}) as { readonly 200?: { readonly properties?: object } } // by status
  return 'nextCursor' in (list?.properties ?? {})
}

/** The groups of operations, in the order in which a reader needs them. */
const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Pages', description: 'Pages are Markdown at an address, `/pages/{space}/{path}`.' },
  { name: 'Revisions', description: 'Every write of a page is a revision; none is changed or lost.' },
  { name: 'Lifecycle', description: 'Moving, deleting and restoring pages and folders.' },
  { name: 'Change requests', description: 'Changes of a space that are reviewed before they count.' },
  { name: 'Comments', description: 'Threads about pages, passages, files and change requests.' },
  { name: 'Notifications', description: 'What you watch, and what you are told of.' },
  { name: 'Files', description: 'Images and other files, at addresses beside the pages.' },
  { name: 'Metadata', description: 'Structured values beside a page, changed key by key, and queries over them.' },
  { name: 'Links', description: 'What a page links to, what links to it, and what is broken or missing.' },
  { name: 'Search', description: 'Full-text search, and pages by the beginning of their titles.' },
  { name: 'Spaces', description: 'Spaces hold pages and decide who may do what.' },
  { name: 'Page templates', description: 'Pages that new pages are made from.' },
  { name: 'Space templates', description: 'Templates of whole spaces.' },
  { name: 'Export and import', description: 'Spaces as archives and bundles.' },
  { name: 'Changes', description: 'The feed of events: polled, waited for, or streamed.' },
  { name: 'Webhooks', description: 'Signed requests to other systems when something changes.' },
  { name: 'Access', description: 'Your own keys and sessions.' },
  { name: 'Administration', description: 'Principals, keys, invitations and the audit log of the organisation.' },
  { name: 'Agents', description: 'The Model Context Protocol.' },
  { name: 'Service', description: 'Health, metrics and explanations of errors, without a key.' },
]
