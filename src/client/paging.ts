import type { CallOptions } from './request.ts'

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

/** A paginated list. Iterating it yields all items and requests further pages of results as needed. */
export interface Listing<T> extends AsyncIterable<T> {
  /** The first page of results, or the one at a cursor. */
  page(cursor?: string): Promise<List<T>>
  /** Its items, at most `limit`. */
  toArray(limit?: number): Promise<T[]>
}

/** A list whose pages of results `page` returns. */
export function listingOf<T>(page: (cursor?: string) => Promise<List<T>>): Listing<T> {
  async function* items(): AsyncGenerator<T> {
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const { items, nextCursor }: List<T> = await page(cursor)
      yield* items
      cursor = nextCursor ?? undefined
    }
  }
  return {
    page,
    [Symbol.asyncIterator]: items,
    async toArray(max = Number.POSITIVE_INFINITY) {
      const found: T[] = []
      if (max <= 0) return found
      for await (const item of items()) {
        found.push(item)
        if (found.length >= max) break
      }
      return found
    },
  }
}
