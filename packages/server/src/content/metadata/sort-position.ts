import { compareText } from '@recto/lib/text/text-order.ts'
import type { SortKey } from './sort-key.ts'

/** The position of a page in the results of a search. */
export interface SortPosition {
  /** Null if there is no value to order by. */
  readonly sort: SortKey | null
  /** The same of further orders. */
  readonly further: readonly (SortKey | null)[]
  readonly space: string
  readonly path: string
}

/** A metadata key or field (value.ts) by whose values pages are sorted. */
export interface Order {
  readonly key: string
  readonly descending: boolean
}

/**
 * Orders by the values of each order, pages without one last in both directions, then by space and path. Sort keys are
 * hexadecimal, so that their characters compare like their bytes.
 */
export function comparePositions(a: SortPosition, b: SortPosition, orders: readonly Order[]): number {
  for (const [index, { descending }] of orders.entries()) {
    const result = compareSorts(sortAt(a, index), sortAt(b, index), descending)
    if (result !== 0) return result
  }
  return compareText(a.space, b.space) || compareText(a.path, b.path)
}

function sortAt({ sort, further }: SortPosition, index: number): SortKey | null {
  return index === 0 ? sort : (further[index - 1] ?? null)
}

function compareSorts(a: SortKey | null, b: SortKey | null, descending: boolean): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b === descending ? 1 : -1
}
