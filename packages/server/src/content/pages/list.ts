import type { Ctx } from '../../access/ctx.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { requireSpace } from '../../access/space.ts'
import { onlySpace, toAccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { listDraftedPages } from './list-drafted.ts'
import { type Page, toPage } from './page.ts'
import { type ListedRow, listPages, listRecent } from './store-lists.ts'

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

/** The pages that the caller can read, latest change first; of one space if `space` is present, and without templates. */
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
