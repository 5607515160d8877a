import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { rankOf } from '../../access/caller.ts'
import { AppError } from '../../errors.ts'
import { type PageAddress, parseSlug } from '../../http/page-address.ts'
import { statusOf } from '../../http/problem.ts'
import type { Server } from '../../http/server.ts'
import { deleteFolder } from '../../lifecycle/delete-folder.ts'
import { moveFolder } from '../../lifecycle/move.ts'
import { readSpace, spacesOf } from '../../spaces/space.ts'
import { browseUrl } from '../addresses.ts'
import { seeOther } from '../fields.ts'
import { csrfField } from '../forms.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { type Fields, sendScreen } from '../screen.ts'
import { deleteFolderScreen, type MoveFolderView, moveFolderScreen } from './folder-views.ts'
import { MENDABLE } from './routes.ts'

const hide = true
const strict = { additionalProperties: false }
const moveForm = Type.Object(
  {
    path: Type.String({ maxLength: 1024 }),
    space: Type.Optional(Type.String({ maxLength: 64 })),
    rewriteLinks: Type.Optional(Type.Literal('1')),
    action: Type.Optional(Type.Literal('check')),
  },
  strict,
)

/** Giving a folder another address, and putting its pages in the trash. */
export async function folderRoutes(app: Server): Promise<void> {
  app.get('/move-folder/:space/*', { schema: { hide, params: screenParams } }, async (request, reply) => {
    const address = screenAddress(request.params)
    // Whoever may not, and whatever is no folder, is told so before the form is filled in.
    await deleteFolder(request.ctx, { ...address, dryRun: true })
    return showMove(request, reply, address, { to: address, rewriteLinks: true })
  })

  app.post(
    '/move-folder/:space/*',
    { schema: { hide, params: screenParams, body: moveForm } },
    async (request, reply) => {
      const address = screenAddress(request.params)
      const { path, space = address.space, action } = request.body
      const rewriteLinks = request.body.rewriteLinks === '1'
      const typed = { to: { space, path }, rewriteLinks }
      try {
        const to = { space: parseSlug(space), path: path.trim().replace(/^\/+|\/+$/g, '') }
        const plan = await moveFolder(request.ctx, {
          ...address,
          to,
          rewriteLinks,
          dryRun: action === 'check',
        })
        if (plan.dryRun) return await showMove(request, reply, address, { ...typed, plan })
        return seeOther(reply, browseUrl(to.space, `${to.path.normalize('NFC')}/`))
      } catch (error) {
        if (!(error instanceof AppError && MENDABLE.has(error.code))) throw error
        const attempt = { fields: request.body as Fields, error } // of a form route
        return await showMove(request, reply.code(statusOf(error.code)), address, { ...typed, attempt })
      }
    },
  )

  app.get('/delete-folder/:space/*', { schema: { hide, params: screenParams } }, async (request, reply) => {
    const address = screenAddress(request.params)
    const { deleted } = await deleteFolder(request.ctx, { ...address, dryRun: true })
    const space = await readSpace(request.ctx, address.space)
    const view = { space, path: address.path, pages: deleted, csrf: csrfField(request) }
    return sendScreen(reply, deleteFolderScreen(view))
  })

  app.post(
    '/delete-folder/:space/*',
    { schema: { hide, params: screenParams, body: Type.Object({}, strict) } },
    async (request, reply) => {
      const address = screenAddress(request.params)
      await deleteFolder(request.ctx, { ...address, dryRun: false })
      const parent = address.path.split('/').slice(0, -1).join('/')
      return seeOther(reply, browseUrl(address.space, parent === '' ? undefined : parent))
    },
  )
}

async function showMove(
  request: FastifyRequest,
  reply: FastifyReply,
  { space: slug, path }: PageAddress,
  typed: Pick<MoveFolderView, 'to' | 'rewriteLinks' | 'plan' | 'attempt'>,
): Promise<FastifyReply> {
  const { ctx } = request
  const [space, { items }] = await Promise.all([readSpace(ctx, slug), spacesOf(ctx, { limit: 200 })])
  const spaces = items.filter(({ role }) => rankOf(role) >= rankOf('editor'))
  return sendScreen(reply, moveFolderScreen({ ...typed, space, path, spaces, csrf: csrfField(request) }))
}
