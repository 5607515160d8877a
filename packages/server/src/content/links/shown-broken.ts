import { compareText } from '@recto/lib/text/text-order.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { readPlaces } from '../../access/shown-places.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { readReferences, toFiles } from './page-links.ts'
import { type ChangedSource, hasOtherLinks, listChangedSources } from './shown-links.ts'
import * as store from './store-reports.ts'

type Space = { readonly id: number; readonly slug: string }
type Row = store.BrokenRow
type RowPosition = Pick<Row, 'source_path' | 'ord'>

/** The broken links of a space as a change request shows it, in order; `end`: the last that may be among these. */
export async function listShownBroken(
  ctx: OverlaidCtx,
  space: Space,
  scan: Pick<store.BrokenArgs, 'afterPath' | 'afterOrd' | 'limit'>,
): Promise<{ readonly rows: readonly Row[]; readonly end: RowPosition | undefined }> {
  const subject = toAccessSubject(ctx.actor)
  const places = await readPlaces(ctx, space.id, true)
  const pageIds = places.drafts.flatMap(({ is_deleted, page_id }) => (is_deleted ? (page_id ?? []) : []))
  const inSpace = { spaceId: space.id, after: scan.afterPath, inclusive: true }
  const [sources, presentRows, newRows, lastPath] = await Promise.all([
    listChangedSources(ctx, space, places),
    store.listBroken.all(ctx.db, { ...subject, ...scan, spaceId: space.id }),
    store.listLinksTo(ctx.db, subject, { ...scan, spaceId: space.id, pageIds, taken: [...places.arrivals.keys()] }),
    store.lastScannedPath(ctx.db, subject, inSpace),
  ])
  const draftRows = await Promise.all(sources.map((source) => listBrokenIn(ctx, space, source)))
  const isBroken = ({ kind, space: slug, path }: Row) =>
    kind === 'file' || slug !== space.slug || !places.arrivals.has(path)
  const isUnchanged = ({ source_path }: Row) => !hasOtherLinks(places.present.get(source_path))
  const ends: RowPosition[] = [presentRows, newRows].flatMap((rows) => (rows.length < scan.limit ? [] : rows.slice(-1)))
  if (lastPath !== undefined) ends.push({ source_path: lastPath, ord: store.END_OF_PAGE })
  const [end] = ends.sort(compareRows)
  const after = { source_path: scan.afterPath, ord: scan.afterOrd }
  const rows = [...presentRows.filter(isBroken), ...newRows].filter(isUnchanged).concat(draftRows.flat())
  const isHere = (row: Row) => compareRows(row, after) > 0 && (!end || compareRows(row, end) <= 0)
  return { rows: rows.filter(isHere).sort(compareRows), end }
}

function compareRows(a: RowPosition, b: RowPosition): number {
  return compareText(a.source_path, b.source_path) || a.ord - b.ord
}

/** The broken links of a changed page, in the order of its body. */
async function listBrokenIn(ctx: OverlaidCtx, space: Space, source: ChangedSource): Promise<Row[]> {
  const { draft, path: source_path, title: source_title, links } = source
  const references = await readReferences(ctx, { spaceId: space.id, pageId: draft.page_id ?? 0 }, draft)
  const files = await toFiles(ctx, { space: space.slug, spaceId: space.id }, references, links)
  const filePaths = new Set(files.map(({ path }) => path))
  const pages = links.filter(({ slug, path }) => slug !== '' || !filePaths.has(path))
  const rows = [
    ...pages.map((link) => ({ ...link, kind: 'page' as const })),
    ...files.map((file) => ({ ...file, kind: 'file' as const, in_space: true })),
  ]
  return rows
    .filter(({ exists }) => exists !== true)
    .sort((a, b) => a.line - b.line)
    .map(({ kind, exists, in_space, space, path, text, line }, ord) => {
      return { kind, in_space: in_space && exists !== null, source_path, source_title, ord, space, path, text, line }
    })
}
