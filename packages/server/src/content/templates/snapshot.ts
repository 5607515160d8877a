import { AppError } from '@recto/contract/errors.ts'
import type { Static } from 'typebox'
import { requireOrgAdmin } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { requireConfirmation } from '../../identity/sessions/confirmation.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { changeWithin } from '../spaces/space.ts'
import type { SpaceRow } from '../spaces/store.ts'
import type { snapshotSchema } from './schema.ts'
import { MAX_TEMPLATE_BYTES, MAX_TEMPLATE_FILES, MAX_TEMPLATE_PAGES, type TemplateItem } from './space-template.ts'
import { deleteStored, putStored, readAllPages, sizeOfSpace, type TemplatePageRow } from './store-space-templates.ts'
import { putTemplateFiles } from './store-template-files.ts'

export type Snapshot = Static<typeof snapshotSchema>

const CATEGORY = 'organisation'

/** Stores a snapshot of a space as a template of the organisation, or replaces one. For organisation admins. */
export async function snapshotSpace(ctx: Ctx, input: Snapshot): Promise<TemplateItem> {
  requireOrgAdmin(ctx)
  const now = ctx.now()
  const store = async (tx: Ctx & Tx, space: SpaceRow): Promise<TemplateItem> => {
    if (space.visibility === 'private') await requireConfirmation(tx)
    const id = input.id ?? space.slug
    const pages = await readPages(tx, space.id, space.slug)
    const template = {
      source: 'org',
      id,
      title: input.title ?? space.name,
      description: input.description ?? space.description,
      category: input.category ?? CATEGORY,
    } as const
    const row = {
      space_slug: space.slug,
      space_name: space.name,
      space_description: space.description,
      space_language: space.language,
      space_icon: space.icon,
      digest: null,
    }
    await putStored(tx, { ...template, ...row, updated_at: now, updated_by: ctx.actor.id }, pages)
    const limit = MAX_TEMPLATE_FILES + 1
    if ((await putTemplateFiles(tx, template, { spaceId: space.id, limit })) === limit) throw tooManyFiles(space.slug)
    const target = { type: 'space_template', id, name: template.title } as const
    await recordAuditEntry(tx, { action: 'space_template.stored', target, details: { space: space.slug } })
    return { ...template, pageCount: pages.length, updatedAt: now.toISOString() }
  }
  return changeWithin(ctx, input.space, store, 'viewer')
}

/** Removes a template of the organisation. For organisation admins. */
export async function removeTemplate(ctx: Ctx, id: string): Promise<void> {
  requireOrgAdmin(ctx)
  await inTransaction(ctx, async (tx) => {
    const title = await deleteStored(tx, 'org', id)
    if (title === undefined) {
      if (tx.commitOutcomeUnknown) return
      throw new AppError('not_found', `The organisation has no space template \`${id}\`.`)
    }
    const target = { type: 'space_template', id, name: title } as const
    await recordAuditEntry(tx, { action: 'space_template.removed', target })
  })
}

async function readPages(ctx: Ctx, spaceId: number, slug: string): Promise<TemplatePageRow[]> {
  rejectTooLarge(slug, await sizeOfSpace(ctx.db, spaceId))
  const rows = await readAllPages(ctx.db, spaceId, MAX_TEMPLATE_PAGES + 1)
  rejectTooLarge(slug, {
    pages: rows.length,
    bytes: rows.reduce((sum, row) => sum + row.size + (row.metadata?.length ?? 0), 0),
  })
  return rows.map(({ path, data, metadata }) => ({ path, body: data, metadata }))
}

function rejectTooLarge(slug: string, size: { readonly pages: number; readonly bytes: number }): void {
  if (size.pages <= MAX_TEMPLATE_PAGES && size.bytes <= MAX_TEMPLATE_BYTES) return
  throw new AppError(
    'payload_too_large',
    `The space \`${slug}\` has ${size.pages} pages of ${size.bytes} bytes: a template is limited to ` +
      `${MAX_TEMPLATE_PAGES} pages and ${MAX_TEMPLATE_BYTES} bytes. Export it instead.`,
  )
}

function tooManyFiles(slug: string): AppError {
  const detail =
    `The space \`${slug}\` has more than ${MAX_TEMPLATE_FILES} files, to which a template is limited. ` +
    `Export it instead.`
  return new AppError('payload_too_large', detail)
}
