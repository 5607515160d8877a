import type { Db } from '../../platform/database/database.ts'
import { allIds, firstIdRange, type IdRange, isShort, nextIdRange, sampleRange } from './id-ranges.ts'
import { findTextMatches, type Matching, type Scoring, type TextMatchRow, type Tier } from './store.ts'

/** The matches to read: of pages with ids below `end`, at most `limit`. */
interface Newest {
  readonly db: Db
  readonly matching: Matching
  /** Undefined: both tiers, and any matches if there are more than the limit. */
  readonly tier: Tier | undefined
  /** The newest matches of both tiers, though there are more than the limit. */
  readonly ordered?: boolean
  readonly end: number
  readonly limit: number
  /**
   * If given, all matches come with their score, or only rare ones: probably all of those will be ranked. Of more than
   * `MAX_CHECKED` rare ones, or as many as the limit, hidden pages are not left out.
   */
  readonly scored?: { readonly scoring: Scoring; readonly matches: 'all' | 'rare' }
}

/** Up to so many matches of both tiers are looked up in the hidden places at once. */
export const MAX_CHECKED = 1_000

/**
 * The matches that were created last, by ranges of ids: a statement reads about as many as requested, regardless of
 * their total number. Ids are in the order of creation: hidden pages do not affect the order.
 */
export async function newestMatches(search: Newest): Promise<TextMatchRow[]> {
  const { db, matching, tier, ordered = tier !== undefined, end, limit, scored } = search
  const matchRows: TextMatchRow[] = []
  let range: IdRange | undefined = firstRange(search)
  while (range !== undefined && matchRows.length < limit) {
    const seenIds = end - range.below
    const isLong = seenIds > 0 && !isShort(range)
    const scoring = isLong || scored?.matches === 'all' ? scored?.scoring : undefined
    const missing = limit - matchRows.length
    const checkLimit = scored?.matches === 'rare' ? Math.min(missing - 1, MAX_CHECKED) : undefined
    const matches = await findTextMatches(db, matching, tier, range, {
      limit: missing,
      scoring,
      ordered,
      checked: checkLimit,
    })
    for (const match of matches) matchRows.push(match)
    range = nextIdRange(range, end - range.low, { found: matchRows.length, wanted: limit })
  }
  return tier === undefined ? matchRows.sort((a, b) => b.page_id - a.page_id) : matchRows
}

/** A sample is first asked for few matches where each page of the first range would be compared with a prefix. */
function firstRange({ matching, tier, end }: Newest): IdRange {
  if (matching.small) return allIds(end)
  return tier === undefined && matching.prefilter !== matching.query ? sampleRange(end) : firstIdRange(end)
}
