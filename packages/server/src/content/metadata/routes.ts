import { addressIn } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { sendTagged, withEntityTag } from '../../access/entity-tag.ts'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { replayWithRole } from '../../access/replay-authorization.ts'
import { pageParams } from '../../access/schema.ts'
import { bodyByType, MERGE_PATCH, mergePatchSchema } from '../../platform/http/bodies/body.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { notModifiedSchema, TAGGED_HEADERS, WRITE_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingParameters, strictObject, text } from '../../platform/http/schemas.ts'
import { metadataBatchRoute } from './batch-routes.ts'
import { metadataHistory } from './history.ts'
import { type PageMetadata, patchMetadata, readMetadata } from './metadata.ts'
import { parseMergePatch, parsePatch } from './parse-patch.ts'
import type { Operation } from './patch.ts'
import { auditEventSchema, metadataSchema, patchSchema } from './schema.ts'

const { endpoint } = declareEndpoints('Metadata', pageParams.properties)

/** The metadata of a page; queries have their own routes. */
export const metadataRoutes = registerRoutes(
  metadataBatchRoute,
  endpoint({
    route: 'GET /pages/:space/:path/metadata',
    config: { visitors: [], headers: TAGGED_HEADERS, changeRequest: 'read' },
    operationId: 'metadata.get',
    summary: 'Read the metadata of a page',
    response: { 200: metadataSchema, 304: notModifiedSchema },
    handler: async (request, reply) =>
      sendTagged(request, reply, await readMetadata(request.ctx, addressIn(request.params))),
  }),
  endpoint({
    route: 'PATCH /pages/:space/:path/metadata',
    config: {
      changeRequest: 'propose',
      errors: ['not_an_array'],
      mergePatch: true,
      idempotency: replayWithRole('editor'),
      checksText: true,
      headers: WRITE_HEADERS,
    },
    operationId: 'metadata.patch',
    summary: 'Change the metadata of a page',
    description:
      'All of the patch or nothing, as JSON or as a JSON Merge Patch (RFC 7396) of the values by key. ' +
      'It makes no revision and leaves the ETag of the page as it is. Concurrent appends all land.',
    body: bodyByType({ 'application/json': patchSchema, [MERGE_PATCH]: mergePatchSchema }),
    response: { 200: metadataSchema },
    handler: async (request, reply) => {
      const respond = (metadata: PageMetadata) => withEntityTag(reply, metadata)
      const metadata = await patchMetadata(withIdempotentResponse(request, reply, respond), {
        ...addressIn(request.params),
        operations: parseOperations(request),
        ifMatch: request.headers['if-match'],
      })
      return respond(metadata)
    },
  }),
  endpoint({
    route: 'GET /pages/:space/:path/metadata/history',
    operationId: 'metadata.history',
    summary: 'List the metadata changes of a page, newest first',
    querystring: strictObject({ ...pagingParameters, key: Type.Optional(text({ description: 'Only this key.' })) }),
    response: { 200: listSchema(auditEventSchema) },
    handler: (request) => metadataHistory(request.ctx, { ...addressIn(request.params), ...request.query }),
  }),
)

/** A request without a body has no media type either. */
function parseOperations(request: Pick<FastifyRequest, 'mediaType'> & { readonly body: object }): Operation[] {
  const { body, mediaType } = request
  return mediaType === MERGE_PATCH ? parseMergePatch(body as Readonly<Record<string, unknown>>) : parsePatch(body ?? {})
}
