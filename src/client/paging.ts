import { type QueryValue, withQuery } from './address.ts'
import { read, requestJson } from './json.ts'
import type { CallOptions, Connection } from './request.ts'

/** A piece of a list, as the service gives it. */
export interface List<T> {
  readonly items: readonly T[]
  /** Leads to what comes behind it; null at the end. */
  readonly nextCursor: string | null
}

export interface ListCall extends CallOptions {
  /** How many items are asked for at a time: 1 to 200. */
  readonly limit?: number | undefined
}

/** A list of the service. Iterated it gives every item, asking for more when they are needed. */
export interface Listing<T> extends AsyncIterable<T> {
  /** One piece of it: the first, or the one that a cursor leads to. */
  page(cursor?: string): Promise<List<T>>
  /** Its items, at most so many. */
  toArray(most?: number): Promise<T[]>
}

/** The list at a target; `query` chooses what is in it. */
export function listing<T>(
  connection: Connection,
  target: string,
  { limit, signal, ...query }: ListCall & Readonly<Record<string, QueryValue | AbortSignal>>,
): Listing<T> {
  const page = (cursor?: string) => {
    const full = withQuery(target, { ...(query as Record<string, QueryValue>), limit, cursor })
    return requestJson<List<T>>(connection, { ...read, target: full, signal })
  }
  return listingOf(page)
}

/** A list whose pieces come from `page`. */
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
    async toArray(most = Number.POSITIVE_INFINITY) {
      const found: T[] = []
      if (most <= 0) return found
      for await (const item of items()) {
        found.push(item)
        if (found.length >= most) break
      }
      return found
    },
  }
}
