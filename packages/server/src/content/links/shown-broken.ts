import { compareText } from '@recto/lib/text/text-order.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { readPlaces, type ShownPlaces } from '../../access/shown-places.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { readReferences, toFiles } from './page-links.ts'
import { type ChangedSource, hasOtherLinks, listChangedSources } from './shown-links.ts'
import {
  type BrokenArgs,
  type BrokenRow,
  END_OF_PAGE,
  lastScannedPath,
  listBroken,
  listLinksTo,
} from './store-reports.ts'

type Space = { readonly id: number; readonly slug: string }
type Scan = Pick<BrokenArgs, 'afterPath' | 'afterOrd' | 'limit'>

/** A part of the broken links, in order; if they are not all, `end` is the last one that it may have. */
interface ShownBroken {
  readonly rows: readonly BrokenRow[]
  readonly end: RowPosition | undefined
}

/** The broken links of a space as the change request of the context shows it. */
export async function listShownBroken(ctx: OverlaidCtx, space: Space, scan: Scan): Promise<ShownBroken> {
  const subject = toAccessSubject(ctx.actor)
  const places = await readPlaces(ctx, space.id)
  const [sources, presentRows, newRows] = await Promise.all([
    listChangedSources(ctx, space, places),
    listBroken.all(ctx.db, { ...subject, ...scan, spaceId: space.id }),
    listLinksToDeleted(ctx, space, places, scan),
  ])
  const draftRows = await Promise.all(sources.map((source) => listBrokenIn(ctx, space, source)))
  const isBroken = ({ kind, space: slug, path }: BrokenRow) =>
    kind === 'file' || slug !== space.slug || !places.arrivals.has(path)
  const isUnchanged = ({ source_path }: BrokenRow) => !hasOtherLinks(places.present.get(source_path))
  const lastPath = await lastScannedPath(ctx.db, subject, { spaceId: space.id, after: scan.afterPath, inclusive: true })
  const ends: RowPosition[] = [presentRows, newRows].flatMap((rows) => (rows.length < scan.limit ? [] : rows.slice(-1)))
  if (lastPath !== undefined) ends.push({ source_path: lastPath, ord: END_OF_PAGE })
  const [end] = ends.sort(compareRows)
  const after = { source_path: scan.afterPath, ord: scan.afterOrd }
  const rows = [...presentRows.filter(isBroken), ...newRows].filter(isUnchanged)
  return {
    rows: [...rows, ...draftRows.flat().filter((row) => compareRows(row, after) > 0)]
      .filter((row) => !end || compareRows(row, end) <= 0)
      .sort(compareRows),
    end,
  }
}

type RowPosition = Pick<BrokenRow, 'source_path' | 'ord'>

function compareRows(a: RowPosition, b: RowPosition): number {
  return compareText(a.source_path, b.source_path) || a.ord - b.ord
}

/** The links to pages that the request deletes. */
function listLinksToDeleted(
  ctx: OverlaidCtx,
  space: Space,
  { drafts, arrivals }: ShownPlaces,
  scan: Scan,
): Promise<BrokenRow[]> {
  const pageIds = drafts.flatMap(({ is_deleted, page_id }) => (is_deleted ? (page_id ?? []) : []))
  const at = { ...scan, spaceId: space.id, pageIds, taken: [...arrivals.keys()] }
  return listLinksTo(ctx.db, toAccessSubject(ctx.actor), at)
}

/** The broken links of a changed page, in the order of its body. */
async function listBrokenIn(ctx: OverlaidCtx, space: Space, source: ChangedSource): Promise<BrokenRow[]> {
  const { draft, path, title, links } = source
  const references = await readReferences(ctx, { spaceId: space.id, pageId: draft.page_id ?? 0 }, draft)
  const files = await toFiles(ctx, { space: space.slug, spaceId: space.id }, references, links)
  const filePaths = new Set(files.map((file) => file.path))
  const pages = links
    .filter(({ exists, slug, path }) => exists !== true && !(slug === '' && filePaths.has(path)))
    .map((link) => ({ ...link, kind: 'page' as const, in_space: link.in_space && link.exists !== null }))
  const missingFiles = files
    .filter(({ exists }) => exists !== true)
    .map((file) => ({ ...file, kind: 'file' as const, in_space: file.exists !== null }))
  return [...pages, ...missingFiles]
    .sort((a, b) => a.line - b.line)
    .map(({ kind, in_space, space, path: target, text, line }, ord) => {
      return { kind, in_space, source_path: path, source_title: title, ord, space, path: target, text, line }
    })
}
