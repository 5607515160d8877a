import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requireRank, requireSpace } from '../../access/space.ts'
import { AppError } from '../../errors.ts'
import type { PageAddress } from '../../http/page-address.ts'
import type { Server } from '../../http/server.ts'
import { checkedBody } from '../../pages/body.ts'
import { previewPage } from '../../pages/preview.ts'
import { maxJsonBytes } from '../../pages/put-routes.ts'
import { type PageRevision, readPage } from '../../pages/read.ts'
import { writePage } from '../../pages/write.ts'
import { newPageUrl, pageUrl } from '../addresses.ts'
import { errorNotice } from '../controls.ts'
import { seeOther } from '../fields.ts'
import { csrfField, pageFormBytes } from '../forms.ts'
import { html } from '../html.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { sendDocument } from '../screen.ts'
import { mergeWithLatest, textOf } from './conflict.ts'
import { type EditView, editDocument, MAX_NOTE } from './edit-view.ts'
import { textOfForm } from './form-text.ts'

const hide = true
const strict = { additionalProperties: false }

const editForm = Type.Object(
  {
    base: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }),
    body: Type.String(),
    note: Type.Optional(Type.String({ maxLength: MAX_NOTE })),
    action: Type.Optional(Type.Literal('preview')),
  },
  strict,
)

/** Refusals that say what is wrong with the text: it is shown again, so that it can be mended. */
const OF_THE_TEXT = new Set([
  'payload_too_large',
  'invalid_body',
  'markdown_too_complex',
  'markdown_busy',
  'page_busy',
  'storage_full',
])

/** Writing a page: the screen, its form, and the preview that its island asks for. */
export async function editRoutes(app: Server, options: { readonly maxBodyBytes: number }): Promise<void> {
  app.get('/edit/:space/*', { schema: { hide, params: screenParams } }, async (request, reply) => {
    const address = screenAddress(request.params)
    const revision = await editable(request, address)
    if (!revision) {
      const known = { path: address.path }
      return reply.redirect(newPageUrl(address.space, known), 303)
    }
    return show(request, reply, revision, {})
  })

  app.post(
    '/edit/:space/*',
    { bodyLimit: pageFormBytes(options), schema: { hide, params: screenParams, body: editForm } },
    async (request, reply) => {
      const { ctx } = request
      const address = screenAddress(request.params)
      const { note = '', action } = request.body
      const base = Number(request.body.base)
      const before = await readPage(ctx, { ...address, version: base })
      const text = textOfForm(request.body.body, textOf(before))
      const typed = { base, text, note }
      if (action === 'preview') {
        const { html: preview } = await previewPage(ctx, { ...address, body: text })
        return show(request, reply, before, { ...typed, preview })
      }
      try {
        await writePage(ctx, {
          ...address,
          body: checkedBody(text, ctx.config.maxBodyBytes),
          note: note === '' ? undefined : note,
          preconditions: { ifMatch: [base], ifNoneMatch: undefined, required: true },
        })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'precondition_failed') return showConflict(request, reply, address, typed)
        if (!OF_THE_TEXT.has(error.code)) throw error
        return show(request, reply.code(400), before, {
          ...typed,
          notice: errorNotice({ fields: request.body, error: error }),
        })
      }
      return seeOther(reply, pageUrl(address.space, address.path))
    },
  )

  app.post(
    '/preview/:space/*',
    {
      bodyLimit: maxJsonBytes(options),
      schema: { hide, params: screenParams, body: Type.Object({ body: Type.String() }, strict) },
    },
    async (request) => {
      const address = screenAddress(request.params)
      const { html: shown, headings } = await previewPage(request.ctx, { ...address, ...request.body })
      return { html: shown, headings: headings.map(({ id, line }) => ({ id, line })) }
    },
  )
}

/** The page where the caller may write it; undefined where there is none and the caller could make it. */
async function editable(request: FastifyRequest, address: PageAddress): Promise<PageRevision | undefined> {
  try {
    const revision = await readPage(request.ctx, address)
    requireRank(revision.row, address.space, 'editor')
    return revision
  } catch (error) {
    const isAbsent = error instanceof AppError && ['not_found', 'page_deleted'].includes(error.code)
    if (!isAbsent) throw error
    await requireSpace(request.ctx, address.space, 'editor')
    return undefined
  }
}

async function showConflict(
  request: FastifyRequest,
  reply: FastifyReply,
  address: PageAddress,
  typed: { readonly base: number; readonly text: string; readonly note: string },
): Promise<FastifyReply> {
  const { latest, text, notice, both } = await mergeWithLatest(request.ctx, address, typed)
  const { note } = typed
  return show(request, reply.code(412), latest, {
    base: latest.version,
    text,
    note,
    notice,
    below: both,
    isMerge: true,
  })
}

function show(
  request: FastifyRequest,
  reply: FastifyReply,
  revision: PageRevision,
  shown: Partial<EditView>,
): FastifyReply {
  const nonce = randomBytes(16).toString('base64url')
  reply.documentPolicy = { styleNonce: nonce }
  const { space, row, version } = revision
  const document = editDocument({
    space,
    path: row.path,
    title: row.title,
    base: version,
    text: textOf(revision),
    note: '',
    actorId: request.ctx.actor.id,
    csrf: csrfField(request),
    nonce,
    notice: html``,
    ...shown,
  })
  return sendDocument(reply, document)
}
