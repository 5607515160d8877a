import { compareText } from '@recto/lib/text/text-order.ts'
import type { Ctx, OverlaidCtx } from '../../access/ctx.ts'
import { isOverlaid, toShownColumns } from '../../access/overlay.ts'
import { isMoved, readPlaces } from '../../access/shown-places.ts'
import { requireSpace, type SpaceAccess } from '../../access/space.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import { onlySpace, toAccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { type Page, toPage } from './page.ts'
import { type ListedRow, listPages, listPagesById, listRecent } from './store-lists.ts'

/** The pages of a space in the order of their paths. */
export async function pagesOfSpace(
  ctx: Ctx,
  input: PageQuery & { readonly space: string; readonly prefix?: string },
): Promise<List<Page>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const prefix = (input.prefix ?? '').normalize('NFC')
  const window = parseWindow(ctx, `pages/${space.id}/${prefix}`, input, ['text'])
  const after = window.after === undefined ? undefined : String(window.after[0])
  const query = { spaceId: space.id, prefix, after, limit: window.limit + 1 }
  const subject = toAccessSubject(ctx.actor)
  const rows = isOverlaid(ctx) ? await listDraftedPages(ctx, space, query) : await listPages(ctx.db, subject, query)
  return buildPage(window, rows, ['path'], listed(ctx))
}

/** The pages that the caller can read, latest change first, without templates; of one space if `space` is present. */
export async function recentPages(
  ctx: Ctx,
  input: PageQuery & { readonly space?: string; readonly templates?: 'out' },
): Promise<List<Page>> {
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const window = parseWindow(ctx, `recent/${space?.id ?? ''}/${ctx.actor.id}`, input, ['time', 'text', 'text'])
  const [updatedAt, path, slug] = window.after ?? []
  const subject = toAccessSubject(ctx.actor)
  const rows = await listRecent(ctx.db, subject, {
    spaces: space ? onlySpace(space.id) : visibleSpaces(subject),
    templates: input.templates,
    after: window.after && [String(updatedAt), String(path), String(slug)],
    limit: window.limit + 1,
  })
  return buildPage(window, rows, ['updated_at', 'path', 'space_slug'], listed(ctx))
}

function listed(ctx: Ctx): (row: ListedRow) => Page {
  return (row) => toPage(row, row.space_slug, ctx)
}

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
    // a new page has all columns
    return [{ ...row, ...place, ...toShownColumns(draft, row ?? { version: 0 }) } as ListedRow]
  })
  return [...shownRows, ...newRows].sort((a, b) => compareText(a.path, b.path)).slice(0, query.limit)
}

function isWithin(path: string, { prefix, after }: ListQuery): boolean {
  return path.startsWith(prefix) && (after === undefined || compareText(path, after) > 0)
}
