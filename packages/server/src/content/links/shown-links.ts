import { compareText } from '@recto/lib/text/text-order.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { PageAccess } from '../../access/page.ts'
import { isMoved, type ShownPlaces } from '../../access/shown-places.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { showTargets } from './shown-targets.ts'
import { type BacklinkArgs, type BacklinkRow, listBacklinks } from './store-backlinks.ts'
import { type LinkTargetRow, listOutbound, type OutboundRow } from './store-read.ts'
import { listTargets } from './store-states.ts'

type Space = { readonly id: number; readonly slug: string }

/** A page in a change request; without a draft it is as it is. */
interface Source {
  readonly page_id: number | null
  readonly draft?: DraftRow | undefined
}

const toLinks = ({ draft }: Source) =>
  (draft?.links ?? []) as readonly Omit<OutboundRow, Exclude<keyof LinkTargetRow, 'path'>>[] // of its body

/** Whether the stored links of the page of a draft are not what the request shows. */
export function hasOtherLinks(draft: DraftRow | undefined): draft is DraftRow {
  return draft !== undefined && (draft.is_deleted || isMoved(draft) || draft.links !== null)
}

/** Pages with their links as a change request shows them, each in the order of its body. */
export async function listShownLinks<S extends Source>(
  ctx: Ctx,
  space: Space,
  places: ShownPlaces,
  sources: readonly S[],
): Promise<(S & { readonly links: readonly OutboundRow[] })[]> {
  const subject = toAccessSubject(ctx.actor)
  const pageIds = sources.flatMap(({ draft, page_id }) => (draft?.links ? [] : (page_id ?? [])))
  const draftLinks = sources.flatMap((source) => toLinks(source).map((link) => ({ ...link, source })))
  const [storedRows, draftRows] = await Promise.all([
    listOutbound.all(ctx.db, { ...subject, spaceId: space.id, pageIds }),
    listTargets(ctx.db, subject, space.id, draftLinks),
  ])
  const byPage = Map.groupBy(storedRows, ({ page_id }) => page_id)
  const bySource = Map.groupBy(draftRows, ({ source }) => source)
  return sources.map((source) => {
    const rows = source.draft?.links ? bySource.get(source) : byPage.get(source.page_id ?? 0)
    return { ...source, links: showTargets<OutboundRow>(places, space.slug, rows ?? [], source.draft) }
  })
}

export function listChangedSources(ctx: Ctx, space: Space, places: ShownPlaces) {
  const drafts = places.drafts.filter((draft) => !draft.is_deleted && hasOtherLinks(draft))
  const sources = drafts.map((draft) => {
    const { page_id, path, page_path, title, page_title } = draft
    return { page_id, draft, path: path ?? page_path ?? '', title: title ?? page_title ?? '' }
  })
  return listShownLinks(ctx, space, places, sources)
}

/** One of them. */
type ChangedSource = Awaited<ReturnType<typeof listChangedSources>>[number]

/** The pages that link to a page as a change request shows them, by space and path. */
export async function listShownBacklinks(
  ctx: Ctx,
  page: PageAccess,
  places: ShownPlaces,
  { limit, ...after }: Pick<BacklinkArgs, 'afterSpace' | 'afterPath' | 'limit'>,
): Promise<BacklinkRow[]> {
  const { draft, spaceId } = page
  const present = draft?.page_path ?? page.path
  // Links to a page that the request moves away follow it.
  const paths = [...new Set([present, page.path])].filter((path) => {
    const other = places.present.get(path)
    return other === undefined || other.id === draft?.id || !isMoved(other)
  })
  const args = { ...toAccessSubject(ctx.actor), spaceId, ...after, limit: limit + places.drafts.length }
  const [sources, ...lists] = await Promise.all([
    listChangedSources(ctx, { id: spaceId, slug: page.space }, places),
    ...paths.map((path) => listBacklinks.all(ctx.db, { ...args, path, pageId: path === present ? page.id : 0 })),
  ])
  const isUnchanged = ({ space, path }: BacklinkRow) => space !== page.space || !hasOtherLinks(places.present.get(path))
  const isAfter = ({ space, path }: BacklinkRow) =>
    (compareText(space, after.afterSpace) || compareText(path, after.afterPath)) > 0
  const changedRows = sources.flatMap((source) => toBacklink(page, source)).filter(isAfter)
  const rows = [...lists.flat().filter(isUnchanged), ...changedRows]
  return [...new Map(rows.map((row) => [`${row.space}/${row.path}`, row])).values()]
    .sort((a, b) => compareText(a.space, b.space) || compareText(a.path, b.path))
    .slice(0, limit)
}

/** The first link of a page to another one; rather one that does not redirect. */
function toBacklink({ space, path: target }: PageAccess, { draft, path, title, links }: ChangedSource): BacklinkRow[] {
  const [link] = links
    .filter(({ exists, now_space, now_path }) => exists && now_space === space && now_path === target)
    .sort((a, b) => Number(a.redirected) - Number(b.redirected))
  if (!link) return []
  const via = link.redirected ? link : { space: null, path: null }
  const { updated_at } = draft
  return [{ space, path, title, text: link.text, updated_at, via_space: via.space, via_path: via.path }]
}
