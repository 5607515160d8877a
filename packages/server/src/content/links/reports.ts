import type { Ctx } from '../../access/ctx.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { readableParts, requireSpace } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import * as paging from '../../platform/http/paging.ts'
import type { BrokenLink, Orphan, WantedPage } from './schema.ts'
import { listShownBroken } from './shown-broken.ts'
import * as store from './store-reports.ts'

interface Report extends paging.PageQuery {
  readonly space: string
}

/** The broken links of a space by path; whether a page is in a space that the caller cannot see is not told. */
export async function brokenLinks(ctx: Ctx, input: Report): Promise<paging.List<BrokenLink>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const window = paging.parseWindow(ctx, `broken/${space.id}/${ctx.actor.id}`, input, ['text', 'integer'])
  const after = window.after && ([String(window.after[0]), Number(window.after[1])] as const)
  const [afterPath, afterOrd] = after ?? ['', 0]
  const scan = { ...(await readableParts(ctx)), spaceId: space.id, afterPath, afterOrd, limit: window.limit + 1 }
  const { rows, end } = isOverlaid(ctx)
    ? await listShownBroken(ctx, space, scan)
    : { rows: await store.listBroken.all(ctx.db, scan), end: undefined }
  return scannedPage(window, rows, ['source_path', 'ord'], toBroken, async () => {
    if (end) return [end.source_path, end.ord]
    const last = await store.lastScannedPath(ctx.db, toAccessSubject(ctx.actor), {
      spaceId: space.id,
      after: after?.[0],
      inclusive: true,
    })
    return last === undefined ? undefined : [last, store.END_OF_PAGE]
  })
}

/** The pages of a space to which no other page links, as far as the caller can read; without templates if asked. */
export async function orphans(ctx: Ctx, input: Report & { readonly templates?: 'out' }): Promise<paging.List<Orphan>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const window = paging.parseWindow(ctx, `orphans/${space.id}/${ctx.actor.id}`, input, ['text'])
  const after = window.after === undefined ? undefined : String(window.after[0])
  const parts = await readableParts(ctx)
  const scan = { ...parts, spaceId: space.id, after, limit: window.limit + 1, templates: input.templates }
  const rows = await store.listOrphans(ctx.db, scan)
  return scannedPage(window, rows, ['path'], toOrphan, async () => {
    const last = await store.lastScannedPath(ctx.db, toAccessSubject(ctx.actor), scan)
    return last === undefined ? undefined : [last]
  })
}

/** The missing pages of a space with the most linking pages, as far as the caller can read those. */
export async function wantedPages(ctx: Ctx, input: Report): Promise<paging.List<WantedPage>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const window = paging.parseWindow(ctx, `wanted/${space.id}/${ctx.actor.id}`, input, ['integer', 'text'])
  const [pages, path] = window.after ?? []
  const rows = await store.listWanted(ctx.db, {
    ...(await readableParts(ctx)),
    spaceId: space.id,
    after: window.after && [Number(pages), String(path)],
    limit: window.limit + 1,
  })
  return paging.buildPage(window, rows, ['pages', 'path'], (row) => ({
    space: space.slug,
    path: row.path,
    pageCount: row.pages,
  }))
}

/** A page of results whose scan is bounded: when it ended early, the cursor continues where it stopped. */
export async function scannedPage<Row, T>(
  window: paging.Window,
  rows: readonly Row[],
  position: paging.PositionOf<Row>,
  item: (row: Row) => T,
  scannedTo: () => Promise<paging.Position | undefined>,
): Promise<paging.List<T>> {
  const page = paging.buildPage(window, rows, position, item)
  if (page.nextCursor !== null) return page
  const next = await scannedTo()
  return next === undefined ? page : { ...page, nextCursor: window.seal(next) }
}

function toBroken(row: store.BrokenRow): BrokenLink {
  return {
    kind: row.kind,
    reason: row.in_space ? 'missing' : 'no_space_or_access',
    source: { path: row.source_path, title: row.source_title },
    target: { space: row.space, path: row.path },
    text: row.text,
    line: row.line,
  }
}

function toOrphan(row: store.OrphanRow): Orphan {
  return { path: row.path, title: row.title, updatedAt: row.updated_at.toISOString() }
}
