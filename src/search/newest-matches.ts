import type { Db } from '../database/database.ts'
import { allIds, firstIdRange, type IdRange, nextIdRange } from './id-ranges.ts'
import { findTextMatches, type Matching, type TextMatchRow, type Tier } from './store.ts'

/** The matches to read: of pages with ids below `end`, at most `limit`. */
interface Newest {
  readonly db: Db
  readonly matching: Matching
  /** Undefined: both tiers. */
  readonly tier: Tier | undefined
  readonly end: number
  readonly limit: number
}

/**
 * The matches that were created last, newest first, by ranges of ids: a statement reads about as many matches as
 * requested, regardless of their total number. Ids are in the order of creation, so that hidden pages do not affect the
 * order.
 */
export async function newestMatches({ db, matching, tier, end, limit }: Newest): Promise<TextMatchRow[]> {
  const found: TextMatchRow[] = []
  let range: IdRange | undefined = matching.small ? allIds(end) : firstIdRange(end)
  while (range !== undefined && found.length < limit) {
    for (const match of await findTextMatches(db, matching, tier, range, limit - found.length))
      found.push(match)
    range = nextIdRange(range, end - range.low, { found: found.length, wanted: limit })
  }
  return found
}
