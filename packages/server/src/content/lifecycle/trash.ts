import type { Static } from 'typebox'
import { toCreator, toEditor } from '../../access/authors.ts'
import type { Ctx, Runtime } from '../../access/ctx.ts'
import type { Resource } from '../../access/resource.ts'
import { requireSpace } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { Sweep } from '../../platform/database/sweeper.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { toFile } from '../files/file.ts'
import type { trashedFileSchema, trashedPageSchema } from './schema.ts'
import { lockExpired, purgeRows } from './store-purge.ts'
import { type DeletedColumns, type ListedRows, listTrash } from './store-trash.ts'

const DAY_MS = 24 * 3600_000

/** A page in the trash, as it was when it was deleted. */
export type TrashedPage = Static<typeof trashedPageSchema>

/** A file in the trash, as it was when it was deleted. */
export type TrashedFile = Static<typeof trashedFileSchema>

interface ListTrash extends PageQuery {
  readonly space: string
  /** A part of their paths or titles. */
  readonly name?: string | undefined
}

/** The deleted pages of a space, latest deletion first; for its readers. */
export function listTrashedPages(ctx: Ctx, input: ListTrash): Promise<List<TrashedPage>> {
  return listDeleted(ctx, 'page', input, (row, space) => {
    const { path, title, version } = row
    const createdAt = row.created_at.toISOString()
    const updatedAt = row.updated_at.toISOString()
    return { space, path, title, version, createdAt, createdBy: toCreator(row), updatedAt, updatedBy: toEditor(row) }
  })
}

/** The deleted files of a space, latest deletion first; for its readers. */
export function listTrashedFiles(ctx: Ctx, input: ListTrash): Promise<List<TrashedFile>> {
  return listDeleted(ctx, 'file', input, (row, space) => {
    const { url: _, etag: __, usedBy: ___, ...file } = toFile(row, space, ctx.config.publicUrl, [])
    return file
  })
}

async function listDeleted<K extends Resource, Item extends object>(
  ctx: Ctx,
  resource: K,
  input: ListTrash,
  toItem: (row: ListedRows[K], space: string) => Item,
) {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const list = resource === 'page' ? 'trash' : 'file-trash'
  const window = parseWindow(ctx, `${list}/${space.id}`, input, ['time', 'text', 'integer'])
  const rows = await listTrash(ctx.db, toAccessSubject(ctx.actor), resource, {
    spaceId: space.id,
    after: window.after && [String(window.after[0]), String(window.after[1]), Number(window.after[2])],
    limit: window.limit + 1,
    name: input.name?.trim() ?? '',
  })
  return buildPage(window, rows, ['deleted_at', 'path', 'version'], (row) => ({
    ...toItem(row, space.slug),
    ...toDeletion(row, ctx.config.trashRetentionDays),
  }))
}

function toDeletion({ deleted_at, deleted_by, restorable }: DeletedColumns, days: number) {
  const expiresAt = days === 0 ? null : new Date(deleted_at.getTime() + days * DAY_MS).toISOString()
  return { deletedAt: deleted_at.toISOString(), deletedBy: deleted_by, expiresAt, restorable }
}

/** A small batch, so that its locks are held for a short time. */
const BATCH = 50

/** Purges pages and files after so many days in the trash. */
export function trashSweep(days: number): Sweep {
  return {
    name: 'trash sweep',
    async batch(db, now) {
      const before = new Date(now.getTime() - days * DAY_MS)
      return (await removeExpired({ db }, 'page', before)) + (await removeExpired({ db }, 'file', before))
    },
  }
}

/** Purges some of the pages or files that were deleted before a time; returns how many. */
export async function removeExpired(runtime: Pick<Runtime, 'db'>, resource: Resource, before: Date): Promise<number> {
  return inTransaction(runtime, async (tx) => {
    const expiredRows = await lockExpired(tx, resource, { before, limit: BATCH })
    let count = 0
    for (const [spaceId, rows] of Map.groupBy(expiredRows, (row) => row.space_id)) {
      const ids = rows.map(({ id }) => id)
      count += (await purgeRows(tx, resource, { spaceId, ids })).length
    }
    return count
  })
}
