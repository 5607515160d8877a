import { Type } from 'typebox'
import { withIdempotentResponse } from '../access/idempotency/idempotent-response.ts'
import { replayWithRole } from '../access/replay-authorization.ts'
import { pageParams } from '../access/schema.ts'
import { endpoint, routesOf } from '../http/endpoint.ts'
import { addressIn } from '../http/page-address.ts'
import { listOf, pagingParameters } from '../http/paging.ts'
import { text } from '../http/text.ts'
import { metadataHistory } from './history.ts'
import { type PageMetadata, patchMetadata, readMetadata } from './metadata.ts'
import { parsePatch } from './parse-patch.ts'
import { auditEventSchema, metadataSchema, patchSchema } from './schema.ts'

const tags = ['Metadata']

/** The metadata of a page; queries have their own routes. */
export const metadataRoutes = routesOf(
  endpoint({
    route: 'GET /pages/:space/:path/metadata',
    tags,
    operationId: 'metadata.get',
    summary: 'Read the metadata of a page',
    params: pageParams,
    response: { 200: metadataSchema },
    handler: (request) => readMetadata(request.ctx, addressIn(request.params)),
  }),
  endpoint({
    route: 'PATCH /pages/:space/:path/metadata',
    config: { idempotency: replayWithRole('editor'), checksText: true },
    tags,
    operationId: 'metadata.patch',
    summary: 'Change the metadata of a page',
    description:
      'All of the patch or nothing. It makes no revision and leaves the ETag of the page as it is. Concurrent appends all land.',
    params: pageParams,
    body: patchSchema,
    response: { 200: metadataSchema },
    handler: (request, reply) => {
      const ctx = withIdempotentResponse(request, reply, (metadata: PageMetadata) => metadata)
      return patchMetadata(ctx, { ...addressIn(request.params), operations: parsePatch(request.body) })
    },
  }),
  endpoint({
    route: 'GET /pages/:space/:path/metadata/history',
    tags,
    operationId: 'metadata.history',
    summary: 'Who changed which key of a page, newest first',
    params: pageParams,
    querystring: Type.Object(
      { ...pagingParameters, key: Type.Optional(text({ description: 'Only this key.' })) },
      { additionalProperties: false },
    ),
    response: { 200: listOf(auditEventSchema) },
    handler: (request) => metadataHistory(request.ctx, { ...addressIn(request.params), ...request.query }),
  }),
)
