import { isMoved, type ShownPlaces } from '../../access/shown-places.ts'
import type { DraftRow } from '../../access/store-drafts.ts'
import type { TargetRow } from './store-states.ts'

/**
 * The targets of links as a change request of the space `slug` shows them. Links follow the pages that it moves, as they
 * do with the merge; those of a page that it creates are written for the places after it.
 */
export function showTargets<R extends TargetRow>(
  places: ShownPlaces,
  slug: string,
  rows: readonly R[],
  source: Pick<DraftRow, 'page_id'> | undefined,
): R[] {
  const findArrival = (row: R) => (!row.exists || row.space === slug ? places.arrivals.get(row.path) : undefined)
  return rows.map((row) => {
    if (row.now_space !== slug) return row
    const draft = row.exists ? places.present.get(row.now_path) : undefined
    const arrival = findArrival(row)
    if (draft && isMoved(draft) && !(arrival && source?.page_id === null)) return showMoved(row, draft)
    if (arrival) return showArrival(row, arrival, slug)
    return draft ? showChanged(row, draft) : row
  })
}

function showMoved<R extends TargetRow>(row: R, { path, title }: DraftRow): R {
  return { ...row, redirected: true, now_path: path ?? row.now_path, title: title ?? row.title }
}

function showArrival<R extends TargetRow>(row: R, { title, page_title }: DraftRow, slug: string): R {
  const target = { exists: true, redirected: row.space !== slug, now_path: row.path, maybe_file: false }
  return { ...row, ...target, title: title ?? page_title }
}

function showChanged<R extends TargetRow>(row: R, { is_deleted, title }: DraftRow): R {
  if (!is_deleted) return { ...row, title: title ?? row.title }
  return { ...row, exists: false, redirected: false, now_path: row.path, title: null }
}
