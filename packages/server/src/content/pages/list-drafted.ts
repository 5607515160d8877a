import { compareText } from '@recto/lib/text/text-order.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { toShownColumns } from '../../access/overlay.ts'
import type { SpaceAccess } from '../../access/space.ts'
import { type DraftRow, listDrafts } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { type ListedRow, listPages, listPagesById } from './store-lists.ts'

type ListQuery = Parameters<typeof listPages>[2]

/** The pages of a space as its change request shows them, in the order of their paths. */
export async function listDraftedPages(ctx: OverlaidCtx, space: SpaceAccess, query: ListQuery): Promise<ListedRow[]> {
  const subject = toAccessSubject(ctx.actor)
  const drafts = await listDrafts(ctx.db, subject, { spaceId: space.id, number: ctx.overlay.number ?? 0 })
  const byPage = new Map(drafts.flatMap((draft) => (draft.page_id === null ? [] : [[draft.page_id, draft]])))
  const leaves = ({ is_deleted, path, page_path }: DraftRow) => is_deleted || (path !== null && path !== page_path)
  const hiddenCount = drafts.filter(leaves).length
  const rows = await listPages(ctx.db, subject, { ...query, limit: query.limit + hiddenCount })
  const shownRows = rows.flatMap((row) => {
    const draft = byPage.get(row.id)
    return draft && leaves(draft) ? [] : [draft ? ({ ...row, ...toShownColumns(draft, row) } as ListedRow) : row] // as below
  })
  const arrivals = drafts.filter(
    ({ is_deleted, path, page_path }) => !is_deleted && path !== null && path !== page_path && isWithin(path, query),
  )
  const movedIds = arrivals.flatMap(({ page_id }) => page_id ?? [])
  const movedRows = new Map((await listPagesById(ctx.db, space.id, movedIds)).map((row) => [row.id, row]))
  const newRows = arrivals.flatMap((draft) => {
    const row = draft.page_id === null ? undefined : movedRows.get(draft.page_id)
    if (draft.page_id !== null && !row) return []
    const place = { id: draft.page_id ?? -draft.id, space_id: space.id, space_slug: space.slug }
    return [{ ...row, ...place, ...toShownColumns(draft, row ?? { version: 0 }) } as ListedRow] // a new page has all columns
  })
  return [...shownRows, ...newRows].sort((a, b) => compareText(a.path, b.path)).slice(0, query.limit)
}

function isWithin(path: string, { prefix, after }: ListQuery): boolean {
  return path.startsWith(prefix) && (after === undefined || compareText(path, after) > 0)
}
