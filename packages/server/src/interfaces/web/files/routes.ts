import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isOverlaid } from '../../../access/overlay.ts'
import { filesOfSpace } from '../../../content/files/list.ts'
import { usageOfSpace } from '../../../content/files/usage.ts'
import { moveToTrash } from '../../../content/lifecycle/delete.ts'
import { moveFile } from '../../../content/lifecycle/move-file.ts'
import { proposeDeletion } from '../../../content/lifecycle/propose-deletion.ts'
import { proposeFileMove } from '../../../content/lifecycle/propose-move.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { msg, t } from '../html.ts'
import { apiFileUrl } from '../message.ts'
import { preconditions, versionField } from '../page-screen.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { fileScreenUrl, filesUrl, withQuery } from '../urls.ts'
import { forPeople, screenFile, shownFile } from './file-screen.ts'
import { type FilesQuery, filesScreen } from './list-view.ts'
import { fileTrashRoutes } from './trash-routes.ts'
import { uploadRoutes } from './upload-routes.ts'

const listQuery = {
  q: Type.Optional(text({ maxLength: 256 })),
  type: Type.Optional(Type.String({ pattern: '^(?:[a-z]+/[a-z0-9.+-]*)?$', maxLength: 127 })),
  unused: Type.Optional(Type.Literal('true')),
  cursor: pagingParameters.cursor,
}
const LISTED = 50

/** The files of a space, and each of them: renaming, replacing, deleting. */
export const fileScreenRoutes = registerRoutes(
  uploadRoutes,
  fileTrashRoutes,
  screenRoute('/browse-files/:slug', {
    query: strictObject(listQuery),
    view: (request) => list(request, parseSlug(request.params.slug), request.query),
  }),
  screenRoute('/file/:space/*', {
    query: strictObject({ cursor: pagingParameters.cursor }),
    view: (request) => shownFile(request, request.query.cursor),
  }),
  formRoute('/rename-file/:space/*', {
    body: strictObject({ version: versionField, path: text({ maxLength: 1024 }) }),
    suggests: msg('Rename a file'),
    act: async ({ ctx, params, body }) => {
      const address = screenFile(params)
      const to = { path: body.path.trim().replace(/^\/+/, '') }
      const move = { ...address, to, rewriteLinks: true, dryRun: false, preconditions: preconditions(body.version) }
      const file = await (isOverlaid(ctx) ? proposeFileMove(ctx, move) : moveFile(ctx, move))
      const url = apiFileUrl(file.space, file.path, '/move')
      const back = { method: 'POST', url, json: { to: { path: address.path } }, match: '*' } as const
      const undo = { requests: [back], url: fileScreenUrl(file.space, address.path) }
      const message = { text: t('{name} was renamed.', { name: address.path }), undo }
      return { url: fileScreenUrl(file.space, file.path), message }
    },
    view: (request, failed) => shownFile(request, undefined, failed),
  }),
  formRoute('/delete-file/:space/*', {
    body: strictObject({ version: versionField, ...listQuery }),
    suggests: msg('Delete a file'),
    act: async ({ ctx, params, body }) => {
      const address = screenFile(params)
      const removal = { ...address, preconditions: preconditions(body.version) }
      await (isOverlaid(ctx) ? proposeDeletion(ctx, 'file', removal) : moveToTrash(ctx, 'file', removal))
      const { q, type, unused, cursor } = body
      const url = withQuery(filesUrl(address.space), { q, type, unused, cursor })
      const restore = { method: 'POST', url: apiFileUrl(address.space, address.path, '/restore') } as const
      const undo = { requests: [restore], url }
      return { url, message: { text: t('{name} is in the trash.', { name: address.path }), undo } }
    },
    view: (request, failed) => list(request, screenFile(request.params).space, request.body, forPeople(failed)),
  }),
)

async function list(
  request: FastifyRequest,
  slug: string,
  { q, type, unused, cursor }: FilesQuery,
  failed?: FailedForm,
): Promise<Screen> {
  const { ctx } = request
  const filters = { ...(q && { q }), ...(type && { type }), ...(cursor && { cursor }) }
  const query = { ...filters, ...(unused && { unused }) }
  const [space, files, usage] = await Promise.all([
    readSpace(ctx, slug),
    filesOfSpace(ctx, { space: slug, ...filters, unused: unused === 'true', limit: LISTED }),
    usageOfSpace(ctx, slug),
  ])
  return filesScreen({ space, files, usage, query, failed })
}
