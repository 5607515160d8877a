import type { CallOptions } from './connection.ts'

/** One page of results. */
export interface List<T> {
  readonly items: readonly T[]
  /** Cursor of the next page of results; null at the end. */
  readonly nextCursor: string | null
}

export interface ListCall extends CallOptions {
  /** Items per request, 1 to 200. */
  readonly limit?: number | undefined
}

/**
 * A paginated list. `await` returns the first page of results, and `for await` all items; nothing is requested before.
 *
 * ```js
 * const { items, nextCursor } = await recto.pages.list('docs')
 * for await (const page of recto.pages.list('docs')) console.log(page.path)
 * ```
 */
export interface Listing<T, P extends List<T> = List<T>> extends AsyncIterable<T>, PromiseLike<P> {
  /** The first page of results, or the one at a cursor. */
  page(cursor?: string): Promise<P>
  /** Its items, at most `limit`. */
  toArray(limit?: number): Promise<T[]>
}

/** A list whose pages of results `page` returns. `next` is the cursor after a page, null at the end. */
export function createListing<T, P extends List<T>>(
  page: (cursor?: string) => Promise<P>,
  next = (page: P): string | null => page.nextCursor,
): Listing<T, P> {
  async function* items(): AsyncGenerator<T> {
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const pageItems: P = await page(cursor)
      yield* pageItems.items
      cursor = next(pageItems) ?? undefined
    }
  }
  return {
    page,
    [Symbol.asyncIterator]: items,
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page of results
    then: (onResolved, onRejected) => page().then(onResolved, onRejected),
    async toArray(max = Number.POSITIVE_INFINITY) {
      const allItems: T[] = []
      if (max <= 0) return allItems
      for await (const item of items()) {
        allItems.push(item)
        if (allItems.length >= max) break
      }
      return allItems
    },
  }
}
