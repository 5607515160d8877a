import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { rankOf } from '../../access/caller.ts'
import { parseSlug } from '../../http/addresses/page-address.ts'
import { strictObject } from '../../http/bodies/strict-object.ts'
import { routesOf } from '../../http/endpoint.ts'
import type { Jobs } from '../../jobs/runner.ts'
import { deleteFolder } from '../../lifecycle/delete-folder.ts'
import { moveFolder } from '../../lifecycle/move.ts'
import { readSpace, spacesOf } from '../../spaces/space.ts'
import { runMove } from '../jobs/move-job.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { formRoute, type Screen, screenRoute } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { browseUrl } from '../urls.ts'
import { deleteFolderScreen, type MoveFolderView, moveFolderScreen } from './folder-views.ts'
import { folderUrl, trashed } from './routes.ts'

const moveForm = strictObject({
  path: Type.String({ maxLength: 1024 }),
  space: Type.Optional(Type.String({ maxLength: 64 })),
  rewriteLinks: Type.Optional(Type.Literal('1')),
  action: Type.Optional(Type.Literal('check')),
})

type FolderRequest = FastifyRequest<{ Params: Static<typeof screenParams> }>
type MoveRequest = FastifyRequest<{ Params: Static<typeof screenParams>; Body: Static<typeof moveForm> }>

/** Moving a folder, and moving it to the trash. */
export const folderScreenRoutes = routesOf<{ readonly jobs: Jobs }>(
  screenRoute('/move-folder/:space/*', {
    params: screenParams,
    view: async (request) => {
      const address = screenAddress(request.params)
      // Fails before the form is filled in if there is no such folder or the caller may not move it.
      await deleteFolder(request.ctx, { ...address, dryRun: true })
      return move(request, { to: address, rewriteLinks: true })
    },
  }),
  formRoute('/move-folder/:space/*', {
    params: screenParams,
    body: moveForm,
    act: async (request, { jobs }) => {
      const address = screenAddress(request.params)
      const typed = typedIn(request)
      const to = { space: parseSlug(typed.to.space), path: typed.to.path.trim().replace(/^\/+|\/+$/g, '') }
      const order = { ...address, ...typed, to }
      if (request.body.action === 'check') {
        return move(request, { ...typed, plan: await moveFolder(request.ctx, { ...order, dryRun: true }) })
      }
      const path = to.path.normalize('NFC')
      const json = { path, to: address, rewriteLinks: typed.rewriteLinks }
      const back = { method: 'POST', url: `/spaces/${to.space}/move-folder`, json } as const
      const undo = { requests: [back], url: browseUrl(address.space, `${address.path}/`) }
      const message = { name: address.path, text: 'was moved.', undo }
      return runMove(request, jobs, { ...address, to }, async (progress) => ({
        outcome: await moveFolder(request.ctx, { ...order, dryRun: false, progress }),
        done: { url: browseUrl(to.space, `${path}/`), message },
      }))
    },
    view: (request, failed) => move(request, { ...typedIn(request), failed }),
  }),
  screenRoute('/delete-folder/:space/*', {
    params: screenParams,
    view: async (request) => {
      const address = screenAddress(request.params)
      const { deleted: pages, files } = await deleteFolder(request.ctx, { ...address, dryRun: true })
      const space = await readSpace(request.ctx, address.space)
      return deleteFolderScreen({ space, path: address.path, pages, files })
    },
  }),
  formRoute('/delete-folder/:space/*', {
    params: screenParams,
    body: strictObject({}),
    act: async ({ ctx, params }) => {
      const address = screenAddress(params)
      const { deleted, files } = await deleteFolder(ctx, { ...address, dryRun: false })
      return { url: folderUrl(address), message: trashed(deleted, files) }
    },
  }),
)

function typedIn({ params, body }: MoveRequest) {
  return {
    to: { space: body.space ?? screenAddress(params).space, path: body.path },
    rewriteLinks: body.rewriteLinks === '1',
  }
}

async function move(
  request: FolderRequest,
  shown: Pick<MoveFolderView, 'to' | 'rewriteLinks' | 'plan' | 'failed'>,
): Promise<Screen> {
  const { ctx } = request
  const { space: slug, path } = screenAddress(request.params)
  const [space, { items }] = await Promise.all([
    readSpace(ctx, slug),
    spacesOf(ctx, { limit: MAX_LISTED_SPACES }),
  ])
  const spaces = items.filter(({ role }) => rankOf(role) >= rankOf('editor'))
  return moveFolderScreen({ ...shown, space, path, spaces })
}
