import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { deleteFolder } from '../../../content/lifecycle/delete-folder.ts'
import { moveFolder } from '../../../content/lifecycle/move.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import type { Jobs } from '../../../events/jobs/runner.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { t } from '../html.ts'
import { runMove } from '../jobs/move-job.ts'
import { type PageParams, screenAddress } from '../page-screen.ts'
import { formRoute, type Screen, screenRoute } from '../screen.ts'
import { browseUrl } from '../urls.ts'
import { editableSpaces, folderMove, folderUrl, moveQuery, trashed, typedFolder } from './routes.ts'
import { deleteFolderScreen, type MoveFolderView, moveFolderScreen } from './views.ts'

type FolderRequest = FastifyRequest<{ Params: PageParams }>

/** Moving a folder, and moving it to the trash. */
export const folderScreenRoutes = registerRoutes<{ readonly jobs: Jobs }>(
  screenRoute('/move-folder/:space/*', {
    query: moveQuery,
    view: async (request) => {
      const address = screenAddress(request.params)
      // Fails before the form is filled in if there is no such folder or the caller may not move it.
      await deleteFolder(request.ctx, { ...address, dryRun: true })
      const to = { ...address, path: request.query.to ?? address.path }
      return move(request, { to, rewriteLinks: true })
    },
  }),
  formRoute('/move-folder/:space/*', {
    body: strictObject(folderMove),
    act: async (request, { jobs }) => {
      const address = screenAddress(request.params)
      const typedTarget = typedFolder(request)
      const to = { space: parseSlug(typedTarget.to.space), path: typedTarget.to.path.trim().replace(/^\/+|\/+$/g, '') }
      const order = { ...address, ...typedTarget, to }
      if (request.body.action === 'check') {
        return move(request, { ...typedTarget, plan: await moveFolder(request.ctx, { ...order, dryRun: true }) })
      }
      const path = to.path.normalize('NFC')
      const json = { path, to: address, rewriteLinks: typedTarget.rewriteLinks }
      const back = { method: 'POST', url: `/spaces/${to.space}/move-folder`, json } as const
      const undo = { requests: [back], url: browseUrl(address.space, `${address.path}/`) }
      const message = { name: address.path, text: t('was moved.'), undo }
      return runMove(request, jobs, { ...address, to }, async (ctx, progress) => ({
        outcome: await moveFolder(ctx, { ...order, dryRun: false, progress }),
        done: { url: browseUrl(to.space, `${path}/`), message },
      }))
    },
    view: (request, failed) => move(request, { ...typedFolder(request), failed }),
  }),
  screenRoute('/delete-folder/:space/*', {
    view: async (request) => {
      const address = screenAddress(request.params)
      const { deleted: pages, files } = await deleteFolder(request.ctx, { ...address, dryRun: true })
      const space = await readSpace(request.ctx, address.space)
      return deleteFolderScreen({ space, path: address.path, pages, files })
    },
  }),
  formRoute('/delete-folder/:space/*', {
    body: strictObject({}),
    act: async ({ ctx, params }) => {
      const address = screenAddress(params)
      const { deleted, files } = await deleteFolder(ctx, { ...address, dryRun: false })
      return { url: folderUrl(address), message: trashed(deleted, files) }
    },
  }),
)

async function move(
  request: FolderRequest,
  options: Pick<MoveFolderView, 'to' | 'rewriteLinks' | 'plan' | 'failed'>,
): Promise<Screen> {
  const { ctx } = request
  const { space: slug, path } = screenAddress(request.params)
  const [space, spaces] = await Promise.all([readSpace(ctx, slug), editableSpaces(ctx)])
  return moveFolderScreen({ ...options, space, path, spaces })
}
