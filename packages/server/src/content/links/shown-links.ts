import { compareText } from '@recto/lib/text/text-order.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { PageAccess } from '../../access/page.ts'
import { isLeaving, isMoved, type ShownPlaces } from '../../access/shown-places.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { showTargets } from './shown-targets.ts'
import { type BacklinkRow, listBacklinks } from './store-backlinks.ts'
import { listOutbound, type WrittenLink } from './store-read.ts'
import { listTargets } from './store-states.ts'

/** A page with other links in a change request than its stored ones, or at another place. */
export interface ChangedSource {
  readonly draft: DraftRow
  readonly path: string
  readonly title: string
  readonly links: readonly WrittenLink[]
}

/** Whether the stored links of the page of a draft are not what the request shows. */
export function hasOtherLinks(draft: DraftRow | undefined): draft is DraftRow {
  return draft !== undefined && (isLeaving(draft) || draft.links !== null)
}

/** The pages whose links a change request changes, with these: of the drafts in `places`. */
export async function listChangedSources(
  ctx: Ctx,
  space: { readonly id: number; readonly slug: string },
  places: ShownPlaces,
): Promise<ChangedSource[]> {
  const subject = toAccessSubject(ctx.actor)
  const drafts = places.drafts.filter((draft) => !draft.is_deleted && hasOtherLinks(draft))
  const pageIds = drafts.flatMap(({ links, page_id }) => (links === null ? (page_id ?? []) : []))
  const writtenLinks = drafts.flatMap(({ id, links }) => (links ?? []).map((link) => ({ id, link })))
  const [storedRows, targets] = await Promise.all([
    listOutbound.all(ctx.db, { ...subject, spaceId: space.id, pageIds }),
    listTargets(
      ctx.db,
      subject,
      space.id,
      writtenLinks.map(({ link }) => link),
    ),
  ])
  const storedLinks = Map.groupBy(storedRows, ({ page_id }) => page_id)
  const draftLinks = Map.groupBy(
    targets.map((target, index) => ({ ...target, ...writtenLinks[index] })),
    ({ id }) => id,
  )
  return drafts.map((draft) => {
    const ownLinks = draftLinks
      .get(draft.id)
      ?.flatMap(({ id: _, link, ...target }) => (link ? { ...target, ...link } : []))
    const links = draft.links === null ? storedLinks.get(draft.page_id ?? 0) : ownLinks
    return {
      draft,
      path: draft.path ?? draft.page_path ?? '',
      title: draft.title ?? draft.page_title ?? '',
      links: showTargets(places, space.slug, links ?? [], draft),
    }
  })
}

/** The links of a page as a change request shows it. */
export async function listShownOutbound(
  ctx: Ctx,
  { id, spaceId, space: slug, draft }: PageAccess,
  places: ShownPlaces,
): Promise<readonly WrittenLink[]> {
  if (hasOtherLinks(draft)) {
    const [source] = await listChangedSources(ctx, { id: spaceId, slug }, { ...places, drafts: [draft] })
    return source?.links ?? []
  }
  const rows = await listOutbound.all(ctx.db, { ...toAccessSubject(ctx.actor), spaceId, pageIds: [id] })
  return showTargets(places, slug, rows, draft)
}

interface BacklinkPosition {
  readonly afterSpace: string
  readonly afterPath: string
  readonly limit: number
}

/** The pages that link to a page as a change request shows them, by space and path. */
export async function listShownBacklinks(
  ctx: Ctx,
  page: PageAccess,
  places: ShownPlaces,
  { limit, ...after }: BacklinkPosition,
): Promise<BacklinkRow[]> {
  const { draft, spaceId } = page
  const present = draft?.page_path ?? page.path
  // Links to a page that the request moves away follow it.
  const isTaken = (path: string) => {
    const other = places.present.get(path)
    return other !== undefined && other.id !== draft?.id && isMoved(other)
  }
  const paths = [...new Set([present, page.path])].filter((path) => !isTaken(path))
  const args = { ...toAccessSubject(ctx.actor), spaceId, ...after, limit: limit + places.drafts.length }
  const [sources, ...lists] = await Promise.all([
    listChangedSources(ctx, { id: spaceId, slug: page.space }, places),
    ...paths.map((path) =>
      listBacklinks.all(ctx.db, { ...args, path, pageId: path === present ? Math.max(page.id, 0) : 0 }),
    ),
  ])
  const unchangedRows = lists.flat().filter(({ space, path }) => {
    return space !== page.space || !hasOtherLinks(places.present.get(path))
  })
  const changedRows = sources.flatMap((source) => toBacklink(page, source))
  const isAfter = ({ space, path }: BacklinkRow) =>
    (compareText(space, after.afterSpace) || compareText(path, after.afterPath)) > 0
  const rows = [...unchangedRows, ...changedRows].filter(isAfter)
  return [...new Map(rows.map((row) => [`${row.space}/${row.path}`, row])).values()]
    .sort((a, b) => compareText(a.space, b.space) || compareText(a.path, b.path))
    .slice(0, limit)
}

/** The first link of a page to another one; rather one that does not redirect. */
function toBacklink({ space, path }: PageAccess, { draft, links, ...source }: ChangedSource): BacklinkRow[] {
  const [link] = links
    .filter(({ exists, now_space, now_path }) => exists && now_space === space && now_path === path)
    .sort((a, b) => Number(a.redirected) - Number(b.redirected))
  if (!link) return []
  const via = link.redirected ? { via_space: link.space, via_path: link.path } : { via_space: null, via_path: null }
  const { path: sourcePath, title } = source
  return [{ space, path: sourcePath, title, text: link.text, updated_at: draft.updated_at, ...via }]
}
