import { isMoved, type ShownPlaces } from '../../access/shown-places.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import type { LinkTargetRow } from './store-read.ts'

/**
 * The targets of links as a change request of the space `slug` shows them. Links follow the pages that it moves, as
 * they do with the merge; those of a page that it creates are written for the places after it.
 */
export function showTargets<R extends LinkTargetRow>(
  { present, arrivals }: ShownPlaces,
  slug: string,
  rows: readonly R[],
  source: Pick<DraftRow, 'page_id'> | undefined,
): R[] {
  const findArrival = (row: R) => (!row.exists || row.space === slug ? arrivals.get(row.path) : undefined)
  return rows.map((row) => {
    if (row.now_space !== slug) return row
    const draft = row.exists ? present.get(row.now_path) : undefined
    const arrival = findArrival(row)
    const isFollowed = draft !== undefined && isMoved(draft) && !(arrival && source?.page_id === null)
    return { ...row, ...(arrival && !isFollowed ? showArrival(row, arrival, slug) : draft && showDraft(row, draft)) }
  })
}

function showArrival(
  { space, path }: LinkTargetRow,
  { title, page_title }: DraftRow,
  slug: string,
): Partial<LinkTargetRow> {
  return { exists: true, redirected: space !== slug, now_path: path, maybe_file: false, title: title ?? page_title }
}

function showDraft(row: LinkTargetRow, draft: DraftRow): Partial<LinkTargetRow> {
  if (draft.is_deleted) return { exists: false, redirected: false, now_path: row.path, title: null }
  const move = isMoved(draft) && { redirected: true, now_path: draft.path ?? row.now_path }
  return { ...move, title: draft.title ?? row.title }
}
