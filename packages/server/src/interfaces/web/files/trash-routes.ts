import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parsePreconditions } from '../../../access/preconditions.ts'
import { purge } from '../../../content/lifecycle/delete.ts'
import { restoreFile } from '../../../content/lifecycle/restore.ts'
import { listTrashedFiles } from '../../../content/lifecycle/trash.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { readText } from '../fields.ts'
import { t } from '../html.ts'
import { apiFileUrl } from '../message.ts'
import { restoredText } from '../restored-text.ts'
import { formRoute, type Screen, type Shown, screenRoute } from '../screen.ts'
import { fileScreenUrl, fileTrashUrl } from '../urls.ts'
import { fileTrashScreen } from './trash-view.ts'

const query = strictObject({ cursor: pagingParameters.cursor, name: Type.Optional(text({ maxLength: 200 })) })

/** The deleted files of a space. */
export const fileTrashRoutes = registerRoutes(
  screenRoute('/trash/:slug/files', { query, view: (request) => trash(request, request.params.slug, request.query) }),
  formRoute('/trash/:slug/files/restore', {
    act: async ({ ctx, params, body }) => {
      const path = parsePagePath(readText(body, 'path'), 'file')
      const file = await restoreFile(ctx, { space: parseSlug(params.slug), path })
      const remove = { method: 'DELETE', url: apiFileUrl(file.space, path), match: file.etag } as const
      const undo = { requests: [remove], url: fileTrashUrl(file.space) }
      return { url: fileScreenUrl(file.space, path), message: { text: restoredText(file), undo } }
    },
    view: (request, failed) => trash(request, request.params.slug, { failed }),
  }),
  formRoute('/trash/:slug/files/purge', {
    act: async ({ ctx, params, body }) => {
      const space = parseSlug(params.slug)
      const path = parsePagePath(readText(body, 'path'), 'file')
      // Without an ETag it never deletes a file that was created at this path since.
      await purge(ctx, 'file', { space, path, preconditions: parsePreconditions({}) })
      return { url: fileTrashUrl(space), message: { text: t('{name} was deleted permanently.', { name: path }) } }
    },
    view: (request, failed) => trash(request, request.params.slug, { failed }),
  }),
)

async function trash(
  request: FastifyRequest,
  trashPath: string,
  view: Shown & { readonly name?: string },
): Promise<Screen> {
  const { cursor, name } = view
  const { ctx } = request
  const slug = parseSlug(trashPath)
  const [space, files] = await Promise.all([
    readSpace(ctx, slug),
    listTrashedFiles(ctx, { space: slug, name, ...(cursor !== undefined && { cursor }) }),
  ])
  return fileTrashScreen({ ...view, space, files })
}
