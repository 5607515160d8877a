import type { OverlaidCtx } from './ctx.ts'
import { type DraftRow, listDrafts, listDraftsAt } from './store-drafts.ts'
import { toAccessSubject } from './visibility.ts'

/** Where the pages of a space are in a change request, by those of its changes that the caller can read. */
export interface ShownPlaces {
  readonly drafts: readonly DraftRow[]
  /** By path: the drafts of pages that the request creates there or moves there. */
  readonly arrivals: ReadonlyMap<string, DraftRow>
  /** By the path where the page is now. */
  readonly present: ReadonlyMap<string, DraftRow>
}

/**
 * Reads where the change request of the context shows pages; with `links`, also the links of the drafts. Those of pages
 * at the paths `at`, now or in the request, are enough for links to them.
 */
export async function readPlaces(
  ctx: OverlaidCtx,
  spaceId: number,
  links = false,
  at?: readonly string[],
): Promise<ShownPlaces> {
  const subject = toAccessSubject(ctx.actor)
  const key = { spaceId, number: ctx.overlay.number ?? 0 }
  const drafts = at
    ? await listDraftsAt.all(ctx.db, { ...subject, ...key, resource: 'page', paths: at })
    : await listDrafts(ctx.db, subject, { ...key, links })
  const arrivals = new Map<string, DraftRow>()
  const present = new Map<string, DraftRow>()
  for (const draft of drafts) {
    const { path, page_path: pagePath, is_deleted: isDeleted } = draft
    if (pagePath !== null) present.set(pagePath, draft)
    if (!isDeleted && path !== null && path !== pagePath) arrivals.set(path, draft)
  }
  return { drafts, arrivals, present }
}

/** Whether the page of a draft is elsewhere in the request than now. */
export function isMoved({ is_deleted, path, page_path }: DraftRow): boolean {
  return !is_deleted && page_path !== null && path !== null && path !== page_path
}
