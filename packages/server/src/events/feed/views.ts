/**
 * What a reader sees of an event: the one rule of the feed, its streams, subscriptions of agents and folder
 * synchronisation. Webhooks follow the same rule with the spaces that they cover (`deliver_events`).
 */
import type { Rights } from '../../identity/rights/store-rights.ts'
import type { EventKind } from './event.ts'
import type { ChangeRow, FeedRow } from './store-changes.ts'

/** Whether only those see an event who could read both of its places. */
export function isAboutThread({ kind }: Pick<ChangeRow, 'kind'>): boolean {
  return kind.startsWith('comment.') || kind.startsWith('thread.')
}

/** The place of an event besides its subject: where it came from, or where it went. */
export function findMovePlace(row: ChangeRow): 'from' | 'to' | undefined {
  if (row.other_slug === null) return undefined
  return row.kind.endsWith('.deleted') ? 'to' : 'from'
}

/** The kind that a reader sees: what left a place is moved for those who see where it is, else deleted. */
export function toVisibleKind(row: ChangeRow): EventKind {
  if (findMovePlace(row) !== 'to') return row.kind
  return row.kind === 'page.deleted' ? 'page.moved' : 'file.moved'
}

const hiddenRows = new WeakMap<FeedRow, FeedRow>()

/**
 * An event as those see it who can read some places, each since a time: with its other place if they could read that,
 * too. Readers of both places get a move once, where the page or file is now; readers of one space get it there as well
 * where it leaves the space. Views of a row are shared.
 */
export function toEventView(
  row: FeedRow,
  { visible, rankAt }: Pick<Rights, 'visible' | 'rankAt'>,
  isOneSpace: boolean,
): FeedRow | undefined {
  const { other_space_id: otherId, other_path: otherPath } = row
  const reads = (spaceId: number, path: unknown) =>
    (visible.get(spaceId) ?? Number.POSITIVE_INFINITY) <= row.at.getTime() &&
    (typeof path !== 'string' || rankAt(spaceId, path) >= 1)
  if (!reads(row.space_id, row.data.path)) return undefined
  if (otherId === null || row.other_slug === null) return row
  if (reads(otherId, otherPath)) {
    const isElsewhere = isOneSpace && otherId !== row.space_id
    return findMovePlace(row) === 'to' && !isElsewhere ? undefined : row
  }
  if (isAboutThread(row)) return undefined
  const visibleRow = hiddenRows.get(row) ?? { ...row, other_slug: null }
  hiddenRows.set(row, visibleRow)
  return visibleRow
}
