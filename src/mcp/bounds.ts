import type { List } from '../http/paging.ts'

/** Characters of an answer that are for content; what frames it stays within about 20,000 together. */
export const MAX_CONTENT = 18_000

/** How many characters a value has in an answer. */
export function textSize(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}

/** How many of the items, at least one, fit into an answer together. */
export function countFitting(items: readonly unknown[], max = MAX_CONTENT): number {
  let size = 0
  const beyond = items.findIndex((item) => {
    size += textSize(item) + 1
    return size > max
  })
  return beyond === -1 ? items.length : Math.max(beyond, 1)
}

/**
 * A page of a list that fits into an answer. Only a list knows the cursor of a place, so one that is too long is asked
 * again for as many items as fit.
 */
export async function fittingPage<T>(
  limit: number,
  read: (limit: number) => Promise<List<T>>,
): Promise<List<T>> {
  let wanted = limit
  for (;;) {
    const list = await read(wanted)
    const count = countFitting(list.items)
    if (count >= list.items.length) return list
    wanted = count
  }
}

/** The beginning of a text, whole characters only. */
export function truncate(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
}
