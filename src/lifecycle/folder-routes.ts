import { Type } from 'typebox'
import { replayWithRole } from '../access/replay-authorization.ts'
import { spaceParameter } from '../access/schema.ts'
import { parseSlug } from '../http/addresses/page-address.ts'
import { endpoint, routesOf } from '../http/endpoint.ts'
import { PAGE_WRITE_ERRORS } from '../http/openapi/errors.ts'
import {
  deleteFolderSchema,
  folderDeletionSchema,
  moveFolderSchema,
  moveOutcomeSchema,
} from '../pages/schema.ts'
import { deleteFolder } from './delete-folder.ts'
import { moveFolder } from './move.ts'
import { inBothSpaces, sendUnchecked } from './routes.ts'

const tags = ['Lifecycle']
const params = Type.Object({ space: spaceParameter })
/**
 * Moves and deletes folders. A folder is a path with pages or files below it, whether or not there is a page at the path
 * itself.
 */
export const folderRoutes = routesOf(
  endpoint({
    route: 'POST /spaces/:space/move-folder',
    config: {
      errors: ['invalid_path', 'page_exists', 'file_exists', ...PAGE_WRITE_ERRORS],
      idempotency: inBothSpaces,
    },
    tags,
    operationId: 'folders.move',
    summary: 'Move a folder',
    description:
      'Moves all pages and files below a path, and the page at the path if there is one, as a page move with `withChildren` does. All or nothing. 404 where nothing is in the folder, 409 `page_exists` or `file_exists` where an address is taken. Takes no `If-Match`: a folder has no version.',
    params,
    body: moveFolderSchema,
    response: { 200: moveOutcomeSchema },
    handler: (request, reply) => {
      const { path, to, rewriteLinks = true, dryRun = false } = request.body
      const outcome = moveFolder(request.ctx, {
        space: parseSlug(request.params.space),
        path,
        to: { path: to.path, ...(to.space !== undefined && { space: parseSlug(to.space) }) },
        rewriteLinks,
        dryRun,
      })
      return sendUnchecked(reply, outcome)
    },
  }),
  endpoint({
    route: 'POST /spaces/:space/delete-folder',
    config: { errors: ['invalid_path', 'page_busy'], idempotency: replayWithRole('editor') },
    tags,
    operationId: 'folders.delete',
    summary: 'Delete a folder',
    description:
      'Moves all pages and files below a path, and the page at the path if there is one, to the trash, regardless of their versions. All or nothing. 404 if the folder is empty. Pages and files are restored individually.',
    params,
    body: deleteFolderSchema,
    response: { 200: folderDeletionSchema },
    handler: (request, reply) => {
      const { path, dryRun = false } = request.body
      const space = parseSlug(request.params.space)
      return sendUnchecked(reply, deleteFolder(request.ctx, { space, path, dryRun }))
    },
  }),
)
