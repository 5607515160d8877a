import { AppError } from '@recto/contract/errors.ts'
import { type PageAddress, parseSlug } from '@recto/contract/page-address.ts'
import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, Type } from 'typebox'
import { toRank } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { isOverlaid } from '../../../access/overlay.ts'
import { requirePage } from '../../../access/page.ts'
import { moveToTrash } from '../../../content/lifecycle/delete.ts'
import { type MovePage, movePage } from '../../../content/lifecycle/move.ts'
import { proposeDeletion } from '../../../content/lifecycle/propose-deletion.ts'
import { proposeMove } from '../../../content/lifecycle/propose-move.ts'
import { readPageLinks } from '../../../content/links/page-links.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { listVisibleSpaces, readSpace } from '../../../content/spaces/space.ts'
import type { Jobs } from '../../../events/jobs/runner.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import { msg, t } from '../html.ts'
import { runMove } from '../jobs/move-job.ts'
import { apiPageUrl, type Message } from '../message.ts'
import { type PageParams, preconditions, screenAddress, versionField } from '../page-screen.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { browseUrl } from '../urls.ts'
import { deletePageScreen, type MoveView, moveScreen } from './views.ts'

const checkBox = Type.Optional(Type.Literal('1'))
/** The fields of the form that moves a folder. */
export const folderMove = {
  path: Type.String({ maxLength: 1024 }),
  space: Type.Optional(Type.String({ maxLength: 64 })),
  rewriteLinks: checkBox,
  action: Type.Optional(Type.Literal('check')),
}
/** Where the form proposes to move something. */
export const moveQuery = strictObject({ to: Type.Optional(text({ maxLength: 1024 })) })
const moveForm = strictObject({ ...folderMove, version: versionField, withChildren: checkBox })
const BACKLINKS = 20

type PageRequest = FastifyRequest<{ Params: PageParams }>

/** Moving a page, and moving it to the trash. */
export const moveAndDeleteRoutes = registerRoutes<{ readonly jobs: Jobs }>(
  screenRoute('/move/:space/*', {
    query: moveQuery,
    view(request) {
      const { space, path } = screenAddress(request.params)
      const to = { space, path: request.query.to ?? path }
      return move(request, { to, withChildren: true, rewriteLinks: true })
    },
  }),
  formRoute('/move/:space/*', {
    body: moveForm,
    suggests: msg('Move pages'),
    act: async (request, { jobs }) => {
      const { space, path, version, action } = request.body
      const address = screenAddress(request.params)
      const typedTarget = typedPage(request)
      const to = { space: parseSlug(space ?? address.space), path: path.trim().replace(/^\/+/, '') }
      const order = { ...address, ...typedTarget, to, preconditions: preconditions(version) }
      if (action === 'check') {
        return move(request, { ...typedTarget, plan: await moveOrPropose(request.ctx, { ...order, dryRun: true }) })
      }
      const { withChildren, rewriteLinks } = typedTarget
      return runMove(request, jobs, { ...address, to }, async (ctx, progress) => {
        const outcome = await moveOrPropose(ctx, { ...order, dryRun: false, progress })
        const now = outcome.page ?? outcome.moved[0]?.to ?? to
        const back = {
          method: 'POST',
          url: apiPageUrl(now.space, now.path, '/move'),
          json: { to: address, withChildren, rewriteLinks },
          match: '*',
        } as const
        const undo = { requests: [back], url: pageUrl(address.space, address.path) }
        const name = outcome.moved.find(({ from }) => from.path === address.path)?.title ?? address.path
        const message = { name, text: t('was moved.'), undo }
        return { outcome, done: { url: pageUrl(now.space, now.path), message } }
      })
    },
    view: (request, failed) => move(request, { ...typedPage(request), failed: forPeople(failed) }),
  }),
  screenRoute('/delete/:space/*', { view: (request) => deletion(request) }),
  formRoute('/delete/:space/*', {
    body: strictObject({ version: versionField }),
    suggests: msg('Delete a page'),
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      const removal = { ...address, preconditions: preconditions(body.version) }
      await (isOverlaid(ctx) ? proposeDeletion(ctx, 'page', removal) : moveToTrash(ctx, 'page', removal))
      return { url: folderUrl(address), message: trashed([address]) }
    },
    view: (request, failed) => deletion(request, forPeople(failed)),
  }),
)

function moveOrPropose(ctx: PagesCtx, order: MovePage) {
  return isOverlaid(ctx) ? proposeMove(ctx, order) : movePage(ctx, order)
}

/** The message about pages and files that are in the trash now; Undo restores them. */
export function trashed(pages: readonly PageAddress[], files: readonly PageAddress[] = []): Message {
  const [first] = pages
  const urls = [
    ...pages.map(({ space, path }) => apiPageUrl(space, path, '/restore')),
    ...files.map(({ space, path }) => `${fileUrl(space, path)}/restore`),
  ]
  const requests = urls.map((url) => ({ method: 'POST' as const, url }))
  const url = first ? pageUrl(first.space, first.path) : ''
  const about =
    pages.length === 1 && files.length === 0 && first ? { name: first.path, text: t('is in the trash.') } : undefined
  return { ...(about ?? { text: countTrashed(pages.length, files.length) }), undo: { requests, url } }
}

function countTrashed(pages: number, files: number): string {
  if (files === 0) return t('{pages, plural, one {# page is} other {# pages are}} in the trash.', { pages })
  if (pages === 0) return t('{files, plural, one {# file is} other {# files are}} in the trash.', { files })
  return t(
    '{pages, plural, one {# page} other {# pages}} and {files, plural, one {# file} other {# files}} are in the trash.',
    { pages, files },
  )
}

/** The pages of the folder that the address is in. */
export function folderUrl({ space, path }: PageAddress): string {
  return browseUrl(space, path.split('/').slice(0, -1).join('/'))
}

interface Sent<Body> {
  readonly params: PageParams
  readonly body: Body
}

/** What was typed in the form that moves a folder. */
export function typedFolder({ params, body }: Sent<Static<TObject<typeof folderMove>>>) {
  return {
    to: { space: body.space ?? screenAddress(params).space, path: body.path },
    rewriteLinks: body.rewriteLinks === '1',
  }
}

function typedPage(request: Sent<Static<typeof moveForm>>) {
  return { ...typedFolder(request), withChildren: request.body.withChildren === '1' }
}

/** The spaces where the caller can write. */
export async function editableSpaces(ctx: Ctx): Promise<readonly Space[]> {
  const { items } = await listVisibleSpaces(ctx, { limit: MAX_LISTED_SPACES })
  return items.filter(({ role }) => toRank(role) >= toRank('editor'))
}

/** The message of `precondition_failed` is for programs. */
function forPeople({ fields, error }: FailedForm): FailedForm {
  if (error.code !== 'precondition_failed') return { fields, error }
  const text = msg('The page has changed since you opened this form. Review it and try again.')
  return { fields, error: new AppError(error.code, text, error.extras) }
}

async function move(
  request: PageRequest,
  options: Pick<MoveView, 'to' | 'withChildren' | 'rewriteLinks' | 'plan' | 'failed'>,
): Promise<Screen> {
  const { ctx } = request
  const page = await requirePage(ctx, screenAddress(request.params), 'organizer')
  const [space, spaces] = await Promise.all([readSpace(ctx, page.space), editableSpaces(ctx)])
  const { path, title, version } = page
  return moveScreen({ ...options, space, path, title, version, spaces })
}

async function deletion(request: PageRequest, failed?: FailedForm): Promise<Screen> {
  const { ctx } = request
  const address = screenAddress(request.params)
  const page = await requirePage(ctx, address, 'organizer')
  const [space, links] = await Promise.all([
    readSpace(ctx, page.space),
    readPageLinks(ctx, { ...address, limit: BACKLINKS }),
  ])
  const { path, title, version } = page
  const isOwn = (link: PageAddress) => link.space === page.space && link.path === path
  const backlinks = links.backlinks.filter((link) => !isOwn(link)).length
  const hasMore = links.nextCursor !== null
  return deletePageScreen({ space, path, title, version, backlinks, hasMore, failed })
}
