import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { rankOf } from '../../access/caller.ts'
import { requirePage } from '../../access/page.ts'
import { AppError } from '../../errors.ts'
import { type PageAddress, parseSlug } from '../../http/page-address.ts'
import type { Server } from '../../http/server.ts'
import { deletePage } from '../../lifecycle/delete.ts'
import { movePage } from '../../lifecycle/move.ts'
import { readPageLinks } from '../../links/page-links.ts'
import { readSpace, spacesOf } from '../../spaces/space.ts'
import { browseUrl, pageUrl } from '../addresses.ts'
import { seeOther } from '../fields.ts'
import { csrfField } from '../forms.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import type { Attempt, Fields } from '../screen.ts'
import { sendDocument } from '../screen.ts'
import { deleteDocument, type MoveView, moveDocument } from './views.ts'

const hide = true
const strict = { additionalProperties: false }
const versionField = Type.String({ pattern: '^[1-9][0-9]{0,8}$' })
const checked = Type.Optional(Type.Literal('1'))
const moveForm = Type.Object(
  {
    version: versionField,
    path: Type.String({ maxLength: 1024 }),
    space: Type.Optional(Type.String({ maxLength: 64 })),
    withChildren: checked,
    rewriteLinks: checked,
    action: Type.Optional(Type.Literal('check')),
  },
  strict,
)
const BACKLINKS = 20
/** What whoever fills in the form of a move can mend. */
export const MENDABLE = new Set<string>([
  'page_exists',
  'invalid_path',
  'invalid_slug',
  'precondition_failed',
  'page_busy',
])

/** Giving a page another address, and putting it in the trash. */
export async function relocateRoutes(app: Server): Promise<void> {
  app.get('/move/:space/*', { schema: { hide, params: screenParams } }, async (request, reply) => {
    const address = screenAddress(request.params)
    return showMove(request, reply, address, { to: address, withChildren: true, rewriteLinks: true })
  })

  app.post(
    '/move/:space/*',
    { schema: { hide, params: screenParams, body: moveForm } },
    async (request, reply) => {
      const address = screenAddress(request.params)
      const { path, space = address.space, version, action } = request.body
      const typed = {
        to: { space, path },
        withChildren: request.body.withChildren === '1',
        rewriteLinks: request.body.rewriteLinks === '1',
      }
      try {
        const plan = await movePage(request.ctx, {
          ...address,
          ...typed,
          to: { space: parseSlug(space), path: path.trim().replace(/^\/+/, '') },
          dryRun: action === 'check',
          preconditions: preconditions(version),
        })
        if (plan.dryRun) return await showMove(request, reply, address, { ...typed, plan })
        const [moved] = plan.moved
        return seeOther(reply, pageUrl(plan.page?.space ?? moved?.to.space ?? space, plan.page?.path ?? path))
      } catch (error) {
        if (!(error instanceof AppError && MENDABLE.has(error.code))) throw error
        return await showMove(request, reply.code(400), address, {
          ...typed,
          attempt: attemptOf(request, error),
        })
      }
    },
  )

  app.get('/delete/:space/*', { schema: { hide, params: screenParams } }, async (request, reply) =>
    showDelete(request, reply, screenAddress(request.params)),
  )

  app.post(
    '/delete/:space/*',
    { schema: { hide, params: screenParams, body: Type.Object({ version: versionField }, strict) } },
    async (request, reply) => {
      const address = screenAddress(request.params)
      try {
        await deletePage(request.ctx, { ...address, preconditions: preconditions(request.body.version) })
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'precondition_failed')) throw error
        return await showDelete(request, reply.code(412), address, attemptOf(request, error))
      }
      const folder = address.path.split('/').slice(0, -1).join('/')
      return seeOther(reply, browseUrl(address.space, folder === '' ? undefined : folder))
    },
  )
}

function preconditions(version: string) {
  return { ifMatch: [Number(version)], ifNoneMatch: undefined, required: true }
}

function attemptOf(request: FastifyRequest, refusal: AppError): Attempt {
  const fields = request.body as Fields // of a form route
  if (refusal.code !== 'precondition_failed') return { fields, error: refusal }
  // What it says is meant for programs.
  const told = 'The page has changed since you opened this form. Review it and try again.'
  return { fields, error: new AppError(refusal.code, told, refusal.extras) }
}

async function showMove(
  request: FastifyRequest,
  reply: FastifyReply,
  address: PageAddress,
  typed: Pick<MoveView, 'to' | 'withChildren' | 'rewriteLinks' | 'plan' | 'attempt'>,
): Promise<FastifyReply> {
  const { ctx } = request
  const page = await requirePage(ctx, address, 'editor')
  const [space, { items }] = await Promise.all([readSpace(ctx, page.space), spacesOf(ctx, { limit: 200 })])
  const spaces = items.filter(({ role }) => rankOf(role) >= rankOf('editor'))
  const { path, title, version } = page
  const view = { ...typed, space, path, title, version, spaces, csrf: csrfField(request) }
  return sendDocument(reply, moveDocument(view))
}

async function showDelete(
  request: FastifyRequest,
  reply: FastifyReply,
  address: PageAddress,
  attempt?: Attempt,
): Promise<FastifyReply> {
  const { ctx } = request
  const page = await requirePage(ctx, address, 'editor')
  const [space, links] = await Promise.all([
    readSpace(ctx, page.space),
    readPageLinks(ctx, { ...address, limit: BACKLINKS }),
  ])
  const { path, title, version } = page
  const own = (link: PageAddress) => link.space === page.space && link.path === path
  const backlinks = links.backlinks.filter((link) => !own(link)).length
  const hasMore = links.nextCursor !== null
  const view = { space, path, title, version, backlinks, hasMore, attempt, csrf: csrfField(request) }
  return sendDocument(reply, deleteDocument(view))
}
