import { pageUrl } from '@recto/contract/page-url.ts'
import { Type } from 'typebox'
import { editComment, removeComment } from '../../../content/comments/comments.ts'
import { bodySchema, type Thread } from '../../../content/comments/schema.ts'
import {
  commentOnSelection,
  createThread,
  readThread,
  replyToThread,
  resolveThread,
} from '../../../content/comments/threads.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { uuidSchema } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { errorNotice } from '../controls.ts'
import { checked, type Fields, readText } from '../fields.ts'
import { html, t } from '../html.ts'
import { type PageParams, pageFrame, screenAddress, screenPage, screenParams } from '../page-screen.ts'
import { type FailedForm, formRoute, type Screen, screenRoute, sendHtml } from '../screen.ts'
import { changeRequestUrl, commentsUrl, fileScreenUrl } from '../urls.ts'
import { readThreads } from './read-threads.ts'
import { threadsSection } from './threads-view.ts'

const params = Type.Object({ id: uuidSchema })
const readBody = (fields: Fields) => checked(bodySchema, { body: readText(fields, 'body') }).body

/** The comments on a page as a screen; what is done with threads, wherever they are shown. */
export const commentScreenRoutes = registerRoutes(
  screenRoute('/comments/:space/*', { view: ({ ctx, params }) => commentsScreen(ctx, params) }),
  formRoute('/comments/:space/*', {
    act: async ({ ctx, params, body }) => toScreen(await comment(ctx, params, body)),
    view: ({ ctx, params }, failed) => commentsScreen(ctx, params, failed),
  }),
  formRoute('/thread/:id', {
    params,
    act: async ({ ctx, params: { id }, body }) => {
      const thread = await readThread(ctx, id)
      await change(ctx, id, body)
      return toScreen(thread)
    },
  }),
)

/** The threads beside a page, and the address of a thread. */
export async function commentFragmentRoutes(app: Server): Promise<void> {
  const options = { schema: { hide: true, params: screenParams } }
  app.get('/fragments/comments/:space/*', options, async ({ ctx, params }, reply) => {
    const address = screenAddress(params)
    const threads = await readThreads(ctx, address)
    const heading = html`<h2><a href="${commentsUrl(address.space, address.path)}">${t('Comments')}</a></h2>`
    return sendHtml(reply, html`${heading}${threadsSection(threads, { ...pageForm(address), isFolded: true })}`.text)
  })
  app.get('/thread/:id', { schema: { hide: true, params } }, async ({ ctx, params }, reply) =>
    reply.redirect(toScreen(await readThread(ctx, params.id)), 303),
  )
}

/** The form for a new thread about a page. */
function pageForm({ space, path }: { readonly space: string; readonly path: string }) {
  return { action: commentsUrl(space, path), label: t('Comment on the page'), takesQuote: true }
}

async function commentsScreen(ctx: PagesCtx, params: PageParams, failed?: FailedForm): Promise<Screen> {
  const address = screenAddress(params)
  const page = await screenPage(ctx, address)
  const threads = await readThreads(ctx, address)
  return pageFrame(page, 'Comments', {
    title: `${t('Comments')} · ${page.title} · ${page.spaceName}`,
    heading: t('Comments on {page}', { page: html`<a href="${pageUrl(page.space, page.path)}">${page.title}</a>` }),
    column: '',
    main: html`${errorNotice(failed)}
${threadsSection(threads, { ...pageForm(address), failed })}`,
  })
}

/** Begins a thread about a page, about what was selected there, or about a file. */
function comment(ctx: PagesCtx, params: PageParams, fields: Fields): Promise<Thread> {
  const address = screenAddress(params)
  const body = readBody(fields)
  const selection = {
    text: readText(fields, 'selected'),
    before: readText(fields, 'before'),
    after: readText(fields, 'after'),
  }
  if (selection.text.trim() !== '') return commentOnSelection(ctx, address, { body, selection })
  const isFile = readText(fields, 'resource') === 'file'
  return createThread(ctx, isFile ? { ...address, resource: 'file' } : address, { body })
}

async function change(ctx: PagesCtx, id: string, fields: Fields): Promise<unknown> {
  switch (readText(fields, 'act')) {
    case 'reply':
      return replyToThread(ctx, id, readBody(fields))
    case 'edit':
      return editComment(ctx, readText(fields, 'comment'), readBody(fields))
    case 'delete':
      return removeComment(ctx, readText(fields, 'comment'))
    default:
      return resolveThread(ctx, id, readText(fields, 'act') === 'resolve')
  }
}

/** The screen that shows a thread. */
function toScreen({ id, subject: { kind, space, path = '', number = 0 } }: Thread): string {
  const screens = {
    page: () => commentsUrl(space, path),
    file: () => fileScreenUrl(space, path),
    changeRequest: () => changeRequestUrl({ space, number }),
    change: () => changeRequestUrl({ space, number }),
  }
  return `${screens[kind]()}#thread-${id}`
}
