import { compareText } from '@recto/lib/text/text-order.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { readPlaces } from '../../access/shown-places.ts'
import { type DraftRow, listDrafts } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { listAddressUsers, listFileUsers } from '../files/store-uses.ts'
import { listReferredFiles, type Referrer } from './page-links.ts'
import { hasOtherLinks, listChangedSources, listShownLinks } from './shown-links.ts'
import * as store from './store-reports.ts'

type Space = { readonly id: number; readonly slug: string }
type Row = store.BrokenRow
type RowPosition = Pick<Row, 'source_path' | 'ord'>
/** Pages that refer to one deleted file. */
const MAX_USERS = 1_000

/** The broken links of a space as a change request shows it, in order; `end`: the last that may be among these. */
export async function listShownBroken(
  ctx: OverlaidCtx,
  space: Space,
  scan: store.BrokenArgs,
): Promise<{ readonly rows: readonly Row[]; readonly end: RowPosition | undefined }> {
  const subject = toAccessSubject(ctx.actor)
  const [places, files] = await Promise.all([
    readPlaces(ctx, space.id, true),
    listDrafts(ctx.db, subject, { spaceId: space.id, number: ctx.overlay.number ?? 0, resource: 'file' }),
  ])
  const pageIds = places.drafts.flatMap(({ is_deleted, page_id }) => (is_deleted ? (page_id ?? []) : []))
  const inSpace = { spaceId: space.id, after: scan.afterPath, inclusive: true }
  const [sources, presentRows, newRows, users, lastPath] = await Promise.all([
    listChangedSources(ctx, space, places),
    store.listBroken.all(ctx.db, scan),
    store.listLinksTo(ctx.db, subject, { ...scan, pageIds, taken: [...places.arrivals.keys()] }),
    listUsers(ctx, space, files),
    store.lastScannedPath(ctx.db, subject, inSpace),
  ])
  // Unchanged pages whose links to files the request breaks or mends are read like changed ones.
  const userPaths = new Set(users.map(({ path }) => path))
  const affectedPages = users.filter(({ path }) => !hasOtherLinks(places.present.get(path)))
  const readRows = await listBrokenIn(ctx, space, [
    ...sources,
    ...(await listShownLinks(ctx, space, places, affectedPages)),
  ])
  const isBroken = ({ kind, space: slug, path }: Row) =>
    kind === 'file' || slug !== space.slug || !places.arrivals.has(path)
  const isUnread = ({ source_path: path }: Row) => !userPaths.has(path) && !hasOtherLinks(places.present.get(path))
  const ends: RowPosition[] = [presentRows, newRows].flatMap((rows) => (rows.length < scan.limit ? [] : rows.slice(-1)))
  if (lastPath !== undefined) ends.push({ source_path: lastPath, ord: store.END_OF_PAGE })
  const [end] = ends.sort(compareRows)
  const after = { source_path: scan.afterPath, ord: scan.afterOrd }
  const rows = [...presentRows.filter(isBroken), ...newRows].filter(isUnread).concat(readRows)
  const isHere = (row: Row) => compareRows(row, after) > 0 && (!end || compareRows(row, end) <= 0)
  return { rows: rows.filter(isHere).sort(compareRows), end }
}

/** The pages of the space that refer to files that the request deletes, creates or moves. */
async function listUsers({ db, actor }: OverlaidCtx, { id: spaceId, slug }: Space, files: readonly DraftRow[]) {
  const [subject, limit] = [toAccessSubject(actor), MAX_USERS]
  const ids = files.flatMap((file) => (file.is_deleted ? (file.file_id ?? []) : []))
  const paths = files.flatMap(({ path }) => path ?? [])
  const lists = await Promise.all([
    ids.length > 0 ? listFileUsers(db, subject, { spaceId, ids, limit }) : [],
    paths.length > 0 ? listAddressUsers(db, subject, { spaceId, paths, limit }) : [],
  ])
  const users = lists.flat().filter(({ space }) => space === slug)
  return [...new Map(users.map((user) => [user.path, user])).values()]
}

function compareRows(a: RowPosition, b: RowPosition): number {
  return compareText(a.source_path, b.source_path) || a.ord - b.ord
}

/** The broken links of pages as the request shows them, those of each in the order of its body. */
async function listBrokenIn(
  ctx: OverlaidCtx,
  space: Space,
  sources: readonly (Referrer & { readonly path: string; readonly title: string })[],
): Promise<Row[]> {
  const lists = await listReferredFiles(ctx, { space: space.slug, spaceId: space.id }, sources)
  return sources.flatMap(({ path: source_path, title: source_title, links }, index) => {
    const files = lists[index] ?? []
    const filePaths = new Set(files.map(({ path }) => path))
    const pages = links.filter(({ slug, path }) => slug !== '' || !filePaths.has(path))
    return [
      ...pages.map((link) => ({ ...link, kind: 'page' as const })),
      ...files.map((file) => ({ ...file, kind: 'file' as const, in_space: true })),
    ]
      .filter(({ exists }) => exists !== true)
      .sort((a, b) => a.line - b.line)
      .map(({ kind, exists, in_space, space, path, text, line }, ord) => {
        return { kind, in_space: in_space && exists !== null, source_path, source_title, ord, space, path, text, line }
      })
  })
}
