import { Type } from 'typebox'
import { fileAddressIn, parseSlug } from '../../../../../contract/src/page-address.ts'
import { withIdempotentResponse } from '../../../access/idempotency/idempotent-response.ts'
import { parsePreconditions } from '../../../access/preconditions.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { withEtag } from '../../../platform/http/headers/etag-header.ts'
import { RESTORE_HEADERS } from '../../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../../platform/http/paging.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { trashedFiles } from '../list.ts'
import { replayOfFiles } from '../replay.ts'
import { type FileAfterWrite, fileAfterWriteSchema, fileParams, trashedFileSchema } from '../schema.ts'
import { deleteFile, purgeFile } from './delete.ts'
import { restoreFile } from './restore.ts'

const { action, endpoint } = declareEndpoints('Files', fileParams.properties)
const purge = Type.Boolean({ description: 'Delete it permanently; for admins of the space.' })

/** The routes that delete and restore files. */
export const trashRoutes = registerRoutes(
  action({
    route: 'DELETE /files/:space/:path',
    config: { errors: ['precondition_required'], headers: { request: ['if-match'] } },
    operationId: 'files.delete',
    summary: 'Delete a file',
    description:
      'Moves the file to the trash; `If-Match` must name its current ETag. `purge=true` deletes it permanently, also from the trash.',
    querystring: strictObject({ purge: Type.Optional(purge) }),
    act: (request) => {
      const remove = request.query.purge ? purgeFile : deleteFile
      const preconditions = parsePreconditions(request.headers)
      return remove(request.ctx, { ...fileAddressIn(request.params), preconditions })
    },
  }),
  endpoint({
    route: 'POST /files/:space/:path/restore',
    config: { errors: ['file_exists'], idempotency: replayOfFiles, headers: RESTORE_HEADERS },
    operationId: 'files.restore',
    summary: 'Restore a file from the trash',
    description:
      'Restores the file that was deleted last at the address, with its versions, as the next version of the address.',
    response: { 200: fileAfterWriteSchema },
    handler: async (request, reply) => {
      const respond = (file: FileAfterWrite) => withEtag(reply, file)
      const ctx = withIdempotentResponse(request, reply, respond)
      return respond(await restoreFile(ctx, fileAddressIn(request.params)))
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/files/trash',
    operationId: 'files.trash',
    summary: 'List the deleted files of a space, latest deletion first',
    querystring: pagingQuery,
    response: { 200: listSchema(trashedFileSchema) },
    handler: (request) =>
      trashedFiles(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  }),
)
