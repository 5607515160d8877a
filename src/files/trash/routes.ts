import { Type } from 'typebox'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { preconditionsOf } from '../../access/preconditions.ts'
import { spaceParameter } from '../../access/schema.ts'
import { fileAddressIn, parseSlug } from '../../http/addresses/page-address.ts'
import { withEtag } from '../../http/headers/etag-header.ts'
import { RESTORE_HEADERS } from '../../http/openapi/headers.ts'
import { listOf, pagingQuery } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { strictObject } from '../../http/strict-object.ts'
import type { File } from '../file.ts'
import { trashedFiles } from '../list.ts'
import { replayOfFiles } from '../replay.ts'
import { fileParams, fileSchema, trashedFileSchema } from '../schema.ts'
import { deleteFile, purgeFile } from './delete.ts'
import { restoreFile } from './restore.ts'

const tags = ['Files']
const purge = Type.Boolean({ description: 'Delete it permanently; for admins of the space.' })

/** The routes that delete and restore files. */
export async function trashRoutes(app: Server): Promise<void> {
  deleteRoute(app)
  restoreRoutes(app)
}

function deleteRoute(app: Server): void {
  app.delete(
    '/files/:space/:path',
    {
      config: { errors: ['precondition_required'], headers: { request: ['if-match'] } },
      schema: {
        tags,
        operationId: 'files.delete',
        summary: 'Delete a file',
        description:
          'Moves the file to the trash; `If-Match` must name its current ETag. `purge=true` deletes it permanently, also from the trash.',
        params: fileParams,
        querystring: strictObject({ purge: Type.Optional(purge) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const remove = request.query.purge ? purgeFile : deleteFile
      const preconditions = preconditionsOf(request.headers)
      await remove(request.ctx, { ...fileAddressIn(request.params), preconditions })
      return reply.code(204).send(null)
    },
  )
}

function restoreRoutes(app: Server): void {
  app.post(
    '/files/:space/:path/restore',
    {
      config: { errors: ['file_exists'], idempotency: replayOfFiles, headers: RESTORE_HEADERS },
      schema: {
        tags,
        operationId: 'files.restore',
        summary: 'Restore a file from the trash',
        description:
          'Restores the file that was deleted last at the address, with its versions, as the next version of the address.',
        params: fileParams,
        response: { 200: fileSchema },
      },
    },
    async (request, reply) => {
      const respond = (file: File) => withEtag(reply, file)
      const ctx = withIdempotentResponse(request, reply, respond)
      return respond(await restoreFile(ctx, fileAddressIn(request.params)))
    },
  )

  app.get(
    '/spaces/:space/files/trash',
    {
      schema: {
        tags,
        operationId: 'files.trash',
        summary: 'List the deleted files of a space, latest deletion first',
        params: Type.Object({ space: spaceParameter }),
        querystring: pagingQuery,
        response: { 200: listOf(trashedFileSchema) },
      },
    },
    (request) => trashedFiles(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  )
}
