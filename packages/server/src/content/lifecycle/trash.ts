import type { Static } from 'typebox'
import { toCreator, toEditor } from '../../access/authors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { trashedPageSchema } from '../pages/schema.ts'
import { listTrash, type TrashListRow } from './store-trash.ts'

const DAY_MS = 24 * 3600_000

/** A page in the trash, as it was when it was deleted. */
export type TrashedPage = Static<typeof trashedPageSchema>

/** The trash of a space, latest deletion first; for its readers. */
export async function trashOfSpace(
  ctx: Ctx,
  input: PageQuery & { readonly space: string },
): Promise<List<TrashedPage>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const window = parseWindow(ctx, `trash/${space.id}`, input, ['time', 'text', 'integer'])
  const rows = await listTrash(ctx.db, {
    spaceId: space.id,
    after: window.after && [String(window.after[0]), String(window.after[1]), Number(window.after[2])],
    limit: window.limit + 1,
  })
  return buildPage(window, rows, ['deleted_at', 'path', 'version'], (row) =>
    toTrashed(row, space.slug, ctx.config.trashRetentionDays),
  )
}

function toTrashed(row: TrashListRow, space: string, days: number): TrashedPage {
  const { path, title, version } = row
  return {
    space,
    path,
    title,
    version,
    createdAt: row.created_at.toISOString(),
    createdBy: toCreator(row),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: toEditor(row),
    deletedAt: row.deleted_at.toISOString(),
    deletedBy: row.deleted_by,
    restorable: row.restorable,
    expiresAt: days === 0 ? null : new Date(row.deleted_at.getTime() + days * DAY_MS).toISOString(),
  }
}
