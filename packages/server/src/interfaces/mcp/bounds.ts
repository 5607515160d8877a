import type { List, PageQuery } from '../../platform/http/paging.ts'

/** Characters of content in a result. With the text around it a result has about 20,000 at most. */
export const MAX_CONTENT = 18_000

export function textSize(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}

/** How many of the items, at least one, fit into a result. */
export function countFitting(items: readonly unknown[], max = MAX_CONTENT): number {
  let size = 0
  const firstOver = items.findIndex((item) => {
    size += textSize(item) + 1
    return size > max
  })
  return firstOver === -1 ? items.length : Math.max(firstOver, 1)
}

/**
 * A page of results that fits into a result of a tool. Only the list can create the cursor after an item, so a page
 * that is too long is read again with the number of items that fit.
 */
export async function fittingPage<L extends List<unknown>>(
  { limit = 50, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  read: (paging: PageQuery) => Promise<L>,
): Promise<L> {
  let wantedCount = limit
  for (;;) {
    const list = await read({ limit: wantedCount, ...(cursor !== undefined && { cursor }) })
    const count = countFitting(list.items)
    if (count >= list.items.length) return list
    wantedCount = count
  }
}

/** Truncates a text between characters. */
export function truncate(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
}
