import { randomBytes } from 'node:crypto'
import { AppError, inputError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { VersionTag } from '@recto/lib/network/header-values.ts'
import { lineOfMarker } from '@recto/lib/text/merge.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { requireRank } from '../../../access/caller.ts'
import { GONE, requireEdited, toEditedPage } from '../../../access/edited-page.ts'
import { requirePlace } from '../../../access/space.ts'
import type { FileState } from '../../../content/links/page-files.ts'
import { checkedBody } from '../../../content/pages/body.ts'
import { previewPage } from '../../../content/pages/preview.ts'
import { maxJsonBytes } from '../../../content/pages/put-routes.ts'
import { type PageRevision, readPage } from '../../../content/pages/read.ts'
import { discardUnsaved, findOwnUnsaved } from '../../../content/pages/unsaved/unsaved.ts'
import { writePage } from '../../../content/pages/write.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { errorNotice } from '../controls.ts'
import { newPage } from '../create/routes.ts'
import { pageFormBytes } from '../forms.ts'
import { html, t } from '../html.ts'
import { type PageParams, preconditions, screenAddress, screenParams } from '../page-screen.ts'
import { formRoute, orFormError, orReviewRequired, type Screen, sendScreen } from '../screen.ts'
import { changeRequestUrl, newPageUrl, proposeUrl } from '../urls.ts'
import { mergeWithLatest, mergeWithPage, readBody } from './conflict.ts'
import { type EditView, editScreen, type ImageSizes, MAX_NOTE } from './edit-view.ts'
import { textOfForm } from './form-text.ts'
import { proposalFields, readProposal, withChoice } from './proposal.ts'

/** With a change request, the form proposes. */
const config = { changeRequest: 'propose' } as const

const editForm = strictObject({
  /** 0: of a page that the change request creates. */
  base: Type.String({ pattern: '^(?:0|[1-9][0-9]{0,8})$' }),
  /** The state of the draft that the text is based on. */
  draft: Type.Optional(Type.String({ pattern: '^draft-[1-9][0-9]{0,8}-[1-9][0-9]{0,8}$' })),
  ...proposalFields,
  /** The page that the editor was opened for. */
  page: Type.Optional(Type.String({ maxLength: 200 })),
  /** The address at which the editor was opened; a moved page redirects its form. */
  opened: Type.Optional(Type.String({ maxLength: 1200 })),
  body: Type.String(),
  note: Type.Optional(Type.String({ maxLength: MAX_NOTE })),
  action: Type.Optional(Type.Literal('preview')),
})

type EditRequest = FastifyRequest<{ Params: PageParams; Body: Static<typeof editForm> }>

/** The editor of a page: the screen, its form, and the preview that the island requests. */
export const editRoutes = registerRoutes<{ readonly maxBodyBytes: number }>(
  (app) =>
    app.get('/edit/:space/*', { config, schema: { hide: true, params: screenParams } }, async (request, reply) => {
      const address = screenAddress(request.params)
      const revision = await orReviewRequired(() => editable(request, address))
      if (revision instanceof AppError) return reply.redirect(proposeUrl(address.space, address.path), 303)
      if (!revision) return reply.redirect(newPageUrl(address.space, { path: address.path }), 303)
      const merge = await mergeWithPage(request.ctx, revision)
      // A page that its change request creates is at no address yet.
      const isDirect = revision.version > 0 && !request.ctx.overlay
      const ownText = isDirect ? await findOwnUnsaved(request.ctx, address) : undefined
      const isSame = ownText?.body === readBody(revision).replaceAll('\r\n', '\n')
      return sendScreen(
        reply,
        await editor(request, revision, { ...merge, unsavedAt: isSame ? undefined : ownText?.savedAt }),
      )
    }),

  formRoute('/edit/:space/*', {
    body: editForm,
    bodyLimit: pageFormBytes,
    config,
    act: async (request) => {
      const ctx = withChoice(request)
      const { address, before, typed } = await submitted(request)
      const { draft, opened: name } = request.body
      if (request.body.action === 'preview') {
        const { html: preview } = await previewPage(ctx, { ...address, body: typed.text }, ctx.overlay && 'viewer')
        return editor(request, before, { ...typed, preview })
      }
      checkMerged(typed.text, before)
      const { page } = await writePage(ctx, {
        ...address,
        body: checkedBody(typed.text, ctx.config.maxBodyBytes),
        note: typed.note,
        preconditions: {
          ...preconditions(typed.base),
          ...(draft !== undefined && { ifMatch: [draft as VersionTag, typed.base] }), // as the schema says
        },
      })
      if (!ctx.overlay) await discardUnsaved(request.ctx, address)
      if (page.changeRequest) return changeRequestUrl({ ...address, ...page.changeRequest }, { done: 'suggested' })
      const url = pageUrl(address.space, address.path)
      if (name === undefined || name === `${address.space}/${address.path}`) return url
      const text = t('{name} was moved here while you were editing. Your text is saved.', { name })
      return { url, message: { text } }
    },
    view: async (request, failed) => {
      const sentForm = await orFormError(() => submitted(request))
      if (sentForm instanceof AppError) return goneScreen(request, sentForm)
      const { address, before, typed } = sentForm
      if (failed.error.code !== 'precondition_failed') {
        const isMerge = lineOfMarker(typed.text, readBody(before)) !== undefined
        return editor(request, before, { ...typed, notice: errorNotice(failed), isMerge })
      }
      const { latest, both, ...merged } = await mergeWithLatest(withChoice(request), address, typed)
      const editView = { ...typed, ...merged, base: latest.version, below: both, isMerge: true }
      return editor(request, latest, editView)
    },
  }),

  (app, options) =>
    app.post(
      '/preview/:space/*',
      {
        bodyLimit: maxJsonBytes(options),
        schema: { hide: true, params: screenParams, body: strictObject({ body: Type.String() }) },
      },
      async (request) => {
        const address = screenAddress(request.params)
        const { html: preview, headings } = await previewPage(request.ctx, { ...address, ...request.body }, 'viewer')
        return { html: preview, headings: headings.map(({ id, line }) => ({ id, line })) }
      },
    ),
)

/** Rejects a merge with unresolved conflicts. Markers that the page had before are its text. */
function checkMerged(text: string, before: PageRevision): void {
  const line = lineOfMarker(text, readBody(before))
  if (line === undefined) return
  const message = `still has a conflict marker in line ${line}; choose what to keep, then save again`
  throw inputError('invalid_request', `The text ${message}.`, '/body', message)
}

/** The typed text, and the version that it is based on. */
async function submitted(request: EditRequest) {
  const { ctx, params, body } = request
  const base = Number(body.base)
  const isDraft = body.draft !== undefined
  const openedAddress = screenAddress(params)
  const { space, path } = ctx.overlay ? openedAddress : await requireEdited(ctx, openedAddress, body.page)
  const address = { space, path }
  const before = await readPage(withChoice(request), { ...address, ...(!isDraft && { version: base }) })
  return { address, before, typed: { base, text: textOfForm(body.body, readBody(before)), note: body.note ?? '' } }
}

/**
 * What was typed for a page that is gone: as a new page, if the space is still there. The form of a moved page is
 * redirected.
 */
async function goneScreen({ ctx, params, body }: EditRequest, reason: AppError): Promise<Screen> {
  if (reason.code === 'page_moved') throw reason
  const error = reason.code === 'not_found' ? new AppError('not_found', GONE) : reason
  const { space, path } = screenAddress(params)
  const text = textOfForm(body.body, undefined)
  // Who suggests a change may not create a page.
  const screen = ctx.overlay
    ? error
    : await orFormError(async () => {
        const { title = path } = await ctx.pages.markdown.analyse(text)
        return newPage(ctx, space, { title, path, text, failed: { fields: { title, path }, error } })
      })
  if (!(screen instanceof AppError)) return screen
  return {
    title: t('Not saved'),
    heading: t('Not saved'),
    column: 'wide',
    main: html`${errorNotice({ fields: {}, error })}
<p>${t('This is your text. Copy it before you leave.')}</p><pre class="source" tabindex="0">${text}</pre>`,
  }
}

/** The page if the caller may write it; undefined if there is none and the caller may create it. */
async function editable(request: FastifyRequest, address: PageAddress): Promise<PageRevision | undefined> {
  try {
    const revision = await readPage(request.ctx, { ...address, links: true })
    requireRank(revision.row, address.space, request.ctx.overlay ? 'viewer' : 'editor')
    return revision
  } catch (error) {
    const isAbsent = error instanceof AppError && ['not_found', 'page_deleted'].includes(error.code)
    if (!isAbsent || request.ctx.overlay) throw error
    await requirePlace(request.ctx, address, 'editor')
    return undefined
  }
}

/** The sizes of the images of a page by their URLs, as its text writes them. */
function imageSizes(space: string, states: readonly FileState[]): ImageSizes {
  const sizes = states.flatMap(([slug, path, file]): [string, readonly [number, number]][] => {
    const { width = null, height = null } = file ?? {}
    return width === null || height === null ? [] : [[fileUrl(slug || space, path), [width, height]]]
  })
  return Object.fromEntries(sizes)
}

async function editor(
  request: FastifyRequest,
  revision: PageRevision,
  editOptions: Partial<EditView> = {},
): Promise<Screen> {
  const { space, row, version } = revision
  const { ctx } = request
  return editScreen({
    editedPage: version > 0 ? toEditedPage(ctx, { spaceId: space.id, id: row.page_id ?? 0 }) : undefined,
    proposal: request.ctx.overlay && (await readProposal(request.ctx, revision, request.body)),
    space,
    path: row.path,
    title: row.title,
    base: version,
    text: readBody(revision),
    note: '',
    actorId: request.ctx.actor.id,
    maxFileBytes: request.ctx.config.maxFileBytes,
    imageSizes: imageSizes(space.slug, revision.fileStates),
    nonce: randomBytes(16).toString('base64url'),
    ...editOptions,
  })
}
