import type { Ctx } from '../../../access/ctx.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { upsertAllAddresses } from '../../links/replace.ts'
import { finishPageWrites } from '../writing/finish-page-writes.ts'
import type { PageDraft } from './draft.ts'
import { insertPages, insertRevisions, type NewPageRow, type NewRevisionRow, type TakenRow, takeFree } from './store.ts'

/** The space of the new pages, and the default time of their revisions. */
export interface Destination {
  readonly spaceId: number
  /** The slug by which links name it; `personal` for the caller's own. */
  readonly space: string
  readonly now: Date
}

export interface CreatedPage {
  readonly path: string
  readonly pageId: number
  readonly version: number
}

/**
 * Creates pages with their revisions, metadata, links and events, in a few statements for all of them. Pages whose
 * address is in use are missing in the result. The caller has checked that the actor may write here.
 */
export async function createPages(
  tx: EventsCtx & Tx,
  to: Destination,
  drafts: readonly PageDraft[],
): Promise<CreatedPage[]> {
  await upsertAllAddresses(tx, to, drafts)
  const paths = drafts.map(({ path }) => path).sort()
  return insertTaken(tx, to, drafts, await takeFree.all(tx.db, { spaceId: to.spaceId, paths }))
}

async function insertTaken(
  tx: EventsCtx & Tx,
  to: Destination,
  drafts: readonly PageDraft[],
  taken: readonly TakenRow[],
): Promise<CreatedPage[]> {
  const byPath = new Map(drafts.map((draft) => [draft.path, draft]))
  const createdPages = taken.flatMap((row) => {
    const draft = byPath.get(row.path)
    return draft ? [{ draft, pageId: row.page_id, first: Math.max(draft.firstVersion, row.last_version + 1) }] : []
  })
  if (createdPages.length === 0) return []
  const rows = createdPages.map(({ draft, pageId, first }) => ({ draft, ...toRows(tx, to, draft, pageId, first) }))
  await insertPages(
    tx,
    to.spaceId,
    rows.map(({ page }) => page),
  )
  await insertRevisions(
    tx,
    to.spaceId,
    rows.flatMap(({ revisions }) => revisions),
  )
  const storedPages = rows.map(({ draft: { links, text, metadata }, page }) => ({ ...page, links, text, metadata }))
  await finishPageWrites(tx, { kind: 'page.created', spaceId: to.spaceId, at: to.now }, storedPages)
  return rows.map(({ page }) => ({ path: page.path, pageId: page.id, version: page.version }))
}

function toRows(
  { actor }: Ctx,
  { now }: Destination,
  draft: PageDraft,
  pageId: number,
  first: number,
): { readonly page: NewPageRow; readonly revisions: NewRevisionRow[] } {
  const revisions = toRevisionRows(draft, first, { pageId, at: now, authorId: actor.id })
  const oldest = revisions[0]
  const latest = revisions.at(-1)
  const keyframe = revisions[draft.keyframe]
  if (!oldest || !latest || !keyframe) throw new RangeError('a page has a revision')
  const page: NewPageRow = {
    id: pageId,
    path: draft.path,
    version: latest.version,
    revision_id: latest.id,
    title: latest.title,
    frontmatter: draft.frontmatter,
    body: draft.head ?? null,
    keyframe: keyframe.version,
    keyframe_id: keyframe.id,
    note: latest.note,
    created_at: oldest.created_at,
    created_by: oldest.created_by,
    updated_at: latest.created_at,
    updated_by: latest.created_by,
    links_digest: draft.links.digest ?? null,
  }
  return { page, revisions }
}

/** `at` and `authorId` are those of revisions without their own. */
function toRevisionRows(
  draft: PageDraft,
  first: number,
  { pageId, at, authorId }: { readonly pageId: number; readonly at: Date; readonly authorId: string },
): NewRevisionRow[] {
  const shift = first - draft.firstVersion
  return draft.revisions.map((revision, index) => ({
    page_id: pageId,
    version: first + index,
    id: revision.id,
    title: revision.title,
    note: revision.note ?? null,
    size: revision.size,
    base: revision.base === undefined ? null : first + revision.base,
    data: revision.data,
    restored_from: revision.restoredFrom === undefined ? null : revision.restoredFrom + shift,
    created_at: revision.at ?? at,
    created_by: revision.authorId ?? authorId,
  }))
}
