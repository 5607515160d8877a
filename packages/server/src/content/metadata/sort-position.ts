import { compareText } from '@recto/lib/text/text-order.ts'
import type { SortKey } from './sort-key.ts'

/** The position of a page in the results of a search. */
export interface SortPosition {
  /** Null if there is no value to order by. */
  readonly sort: SortKey | null
  readonly space: string
  readonly path: string
}

/**
 * Orders by value, pages without one last in both directions, then by space and path. Sort keys are hexadecimal, so
 * that their characters compare like their bytes.
 */
export function comparePositions(a: SortPosition, b: SortPosition, descending: boolean): number {
  return compareSorts(a.sort, b.sort, descending) || compareText(a.space, b.space) || compareText(a.path, b.path)
}

function compareSorts(a: SortKey | null, b: SortKey | null, descending: boolean): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b === descending ? 1 : -1
}
