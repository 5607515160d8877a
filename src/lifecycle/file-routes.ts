import { withIdempotentResponse } from '../access/idempotency/idempotent-response.ts'
import { preconditionsOf } from '../access/preconditions.ts'
import { fileParams } from '../files/schema.ts'
import { fileAddressIn, parseSlug } from '../http/addresses/page-address.ts'
import { endpoint, routesOf } from '../http/endpoint.ts'
import { withEtag } from '../http/headers/etag-header.ts'
import { MOVE_HEADERS } from '../http/openapi/headers.ts'
import { movedFileSchema, moveFileSchema } from '../pages/schema.ts'
import { type MovedFile, moveFile } from './move-file.ts'
import { inBothSpaces } from './routes.ts'

/** Moves files. */
export const fileMoveRoutes = routesOf(
  endpoint({
    route: 'POST /files/:space/:path/move',
    config: {
      errors: ['file_exists', 'precondition_required', 'page_busy'],
      idempotency: inBothSpaces,
      headers: MOVE_HEADERS,
    },
    tags: ['Files'],
    operationId: 'files.move',
    summary: 'Move a file',
    description:
      'Needs `If-Match`. The file keeps its id and versions; the old address redirects to the new one, and pages that refer to it get the new address.',
    params: fileParams,
    body: moveFileSchema,
    response: { 200: movedFileSchema },
    handler: async (request, reply) => {
      const { to, rewriteLinks = true, dryRun = false } = request.body
      const respond = (file: MovedFile) => withEtag(reply, file)
      const moved = await moveFile(withIdempotentResponse(request, reply, respond), {
        ...fileAddressIn(request.params),
        to: { path: to.path, ...(to.space !== undefined && { space: parseSlug(to.space) }) },
        rewriteLinks,
        dryRun,
        preconditions: preconditionsOf(request.headers),
      })
      return respond(moved)
    },
  }),
)
