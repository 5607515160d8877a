import { parseSlug, parseWrittenPath } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { replayWithRole } from '../../access/replay-authorization.ts'
import { spaceParameter } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { PAGE_WRITE_ERRORS } from '../../platform/http/openapi/errors.ts'
import { attendMove, type MoveDeps } from './attend-move.ts'
import { deleteFolder } from './delete-folder.ts'
import { moveFileRoute } from './file-routes.ts'
import { moveFolder } from './move.ts'
import { inBothSpaces, moveInput, sendUnchecked } from './routes.ts'
import { deleteFolderSchema, folderDeletionSchema, moveFolderSchema, moveOutcomeSchema } from './schema.ts'

const { endpoint } = declareEndpoints('Lifecycle')
const params = Type.Object({ space: spaceParameter })
/**
 * Moves and deletes folders, and moves files. A folder is a path with pages or files below it, whether or not there is
 * a page at the path itself.
 */
export const folderRoutes = registerRoutes<MoveDeps>(
  endpoint({
    route: 'POST /spaces/:space/move-folder',
    config: {
      errors: ['invalid_path', 'page_exists', 'file_exists', 'job_cancelled', ...PAGE_WRITE_ERRORS],
      idempotency: inBothSpaces,
    },
    operationId: 'folders.move',
    summary: 'Move a folder',
    description:
      'Moves all pages and files below a path, and the page at the path if there is one, as a page move with `withChildren` does. All or nothing. 404 where nothing is in the folder, 409 `page_exists` or `file_exists` where an address is taken. Takes no `If-Match`: a folder has no version.',
    params,
    body: moveFolderSchema,
    response: { 200: moveOutcomeSchema },
    handler: (request, reply, deps) => {
      const path = parseWrittenPath(request.body.path)
      const move = { space: parseSlug(request.params.space), path, ...moveInput(request.body) }
      return sendUnchecked(reply, attendMove(deps, request.ctx, move, moveFolder))
    },
  }),
  endpoint({
    route: 'POST /spaces/:space/delete-folder',
    config: { errors: ['invalid_path', 'page_busy'], idempotency: replayWithRole('editor') },
    operationId: 'folders.delete',
    summary: 'Delete a folder',
    description:
      'Moves all pages and files below a path, and the page at the path if there is one, to the trash, regardless of their versions. All or nothing. 404 if the folder is empty. Pages and files are restored individually.',
    params,
    body: deleteFolderSchema,
    response: { 200: folderDeletionSchema },
    handler: (request, reply) => {
      const { dryRun = false } = request.body
      const path = parseWrittenPath(request.body.path)
      const space = parseSlug(request.params.space)
      return sendUnchecked(reply, deleteFolder(request.ctx, { space, path, dryRun }))
    },
  }),
  moveFileRoute,
)
