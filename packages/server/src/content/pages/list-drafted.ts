import { compareText } from '@recto/lib/text/text-order.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { toShownColumns } from '../../access/overlay.ts'
import { isMoved, readPlaces } from '../../access/shown-places.ts'
import type { SpaceAccess } from '../../access/space.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { type ListedRow, listPages, listPagesById } from './store-lists.ts'

type ListQuery = Parameters<typeof listPages>[2]

/** The pages of a space as its change request shows them, in the order of their paths. */
export async function listDraftedPages(ctx: OverlaidCtx, space: SpaceAccess, query: ListQuery): Promise<ListedRow[]> {
  const { drafts, ...places } = await readPlaces(ctx, space.id)
  const leaves = (draft: DraftRow) => draft.is_deleted || isMoved(draft)
  const limit = query.limit + drafts.filter((draft) => leaves(draft) || draft.path !== null).length
  const rows = await listPages(ctx.db, toAccessSubject(ctx.actor), { ...query, limit })
  const shownRows = rows.flatMap((row) => {
    const draft = places.present.get(row.path)
    if (places.arrivals.has(row.path) || (draft && leaves(draft))) return []
    return [draft ? ({ ...row, ...toShownColumns(draft, row) } as ListedRow) : row] // as below
  })
  const arrivals = [...places.arrivals].flatMap(([path, draft]) => (isWithin(path, query) ? [draft] : []))
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
