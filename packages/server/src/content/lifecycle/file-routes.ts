import { fileAddressIn, parseSlug } from '@recto/contract/page-address.ts'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { parsePreconditions } from '../../access/preconditions.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { withEtag } from '../../platform/http/headers/response-headers.ts'
import { MOVE_HEADERS, RESTORE_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery } from '../../platform/http/schemas.ts'
import { replayOfFiles } from '../files/replay.ts'
import { type FileAfterWrite, fileAfterWriteSchema, fileParams } from '../files/schema.ts'
import { type MovedFile, moveFile } from './move-file.ts'
import { proposeFileMove } from './propose-move.ts'
import { restoreFile } from './restore.ts'
import { inBothSpaces, moveInput, removalQuery, removalResponse, remove } from './routes.ts'
import { movedFileSchema, moveFileSchema, trashedFileSchema } from './schema.ts'
import { listTrashedFiles } from './trash.ts'

const { endpoint } = declareEndpoints('Files', fileParams.properties)

/** Deletes and restores files, and lists the deleted ones. */
export const fileLifecycleRoutes = registerRoutes(
  endpoint({
    route: 'DELETE /files/:space/:path',
    config: {
      changeRequest: 'propose',
      errors: ['precondition_required', 'page_busy'],
      headers: { request: ['if-match'] },
    },
    operationId: 'files.delete',
    summary: 'Delete a file',
    description:
      'Moves the file to the trash; `If-Match` must name its current ETag. ' +
      '`purge=true` deletes it permanently, also from the trash.',
    querystring: removalQuery,
    response: removalResponse,
    handler: async (request, reply) => {
      await remove(request, reply, 'file', fileAddressIn(request.params))
      return reply
    },
  }),
  endpoint({
    route: 'POST /files/:space/:path/restore',
    config: { changeRequest: 'propose', errors: ['file_exists'], idempotency: replayOfFiles, headers: RESTORE_HEADERS },
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
    handler: (request) => listTrashedFiles(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  }),
)

export const moveFileRoutes = registerRoutes(
  endpoint({
    route: 'POST /files/:space/:path/move',
    config: {
      changeRequest: 'propose',
      errors: ['file_exists', 'precondition_required', 'page_busy'],
      idempotency: inBothSpaces,
      headers: MOVE_HEADERS,
    },
    operationId: 'files.move',
    summary: 'Move a file',
    description:
      'Needs `If-Match`. The file keeps its id and versions; the old address redirects to the new one, ' +
      'and pages that refer to it get the new address.',
    body: moveFileSchema,
    response: { 200: movedFileSchema },
    handler: async (request, reply) => {
      const respond = (file: MovedFile) => withEtag(reply, file)
      const ctx = withIdempotentResponse(request, reply, respond)
      const move = {
        ...fileAddressIn(request.params),
        ...moveInput(request.body),
        preconditions: parsePreconditions(request.headers),
      }
      return respond(await (isOverlaid(ctx) ? proposeFileMove(ctx, move) : moveFile(ctx, move)))
    },
  }),
)
