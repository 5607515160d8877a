import { Type } from 'typebox'
import { withIdempotentResponse } from '../access/idempotency/idempotent-response.ts'
import { replayWithRole } from '../access/replay-authorization.ts'
import { pageParams } from '../access/schema.ts'
import { addressIn } from '../http/page-address.ts'
import { listOf, pagingParameters } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import { text } from '../http/text.ts'
import { metadataHistory } from './history.ts'
import { type PageMetadata, patchMetadata, readMetadata } from './metadata.ts'
import { parsePatch } from './parse-patch.ts'
import { auditEventSchema, metadataSchema, patchSchema } from './schema.ts'

const tags = ['Metadata']

/** The metadata of a page; queries have their own routes. */
export async function metadataRoutes(app: Server): Promise<void> {
  app.get(
    '/pages/:space/:path/metadata',
    {
      schema: {
        tags,
        operationId: 'metadata.get',
        summary: 'Read the metadata of a page',
        params: pageParams,
        response: { 200: metadataSchema },
      },
    },
    (request) => readMetadata(request.ctx, addressIn(request.params)),
  )

  app.patch(
    '/pages/:space/:path/metadata',
    {
      config: { idempotency: replayWithRole('editor'), checksText: true },
      schema: {
        tags,
        operationId: 'metadata.patch',
        summary: 'Change the metadata of a page',
        description:
          'All of the patch or nothing. It makes no revision and leaves the ETag of the page as it is. Concurrent appends all land.',
        params: pageParams,
        body: patchSchema,
        response: { 200: metadataSchema },
      },
    },
    (request, reply) => {
      const ctx = withIdempotentResponse(request, reply, (metadata: PageMetadata) => metadata)
      return patchMetadata(ctx, { ...addressIn(request.params), operations: parsePatch(request.body) })
    },
  )

  app.get(
    '/pages/:space/:path/metadata/history',
    {
      schema: {
        tags,
        operationId: 'metadata.history',
        summary: 'Who changed which key of a page, newest first',
        params: pageParams,
        querystring: Type.Object(
          { ...pagingParameters, key: Type.Optional(text({ description: 'Only this key.' })) },
          { additionalProperties: false },
        ),
        response: { 200: listOf(auditEventSchema) },
      },
    },
    (request) => metadataHistory(request.ctx, { ...addressIn(request.params), ...request.query }),
  )
}
