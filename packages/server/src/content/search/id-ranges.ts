/** The page ids with `low` <= id < `below`. A search reads such ranges from the newest page to older ones. */
export interface IdRange {
  readonly low: number
  readonly below: number
  /** The partitions of the index that cover the range; undefined: all of them. */
  readonly partitions: readonly number[] | undefined
}

/** The size of an index partition as a number of low bits of an id: of a small one, and of a large one. */
export const SMALL_BITS = 11
export const LARGE_BITS = 16
/** Added to the number of a large partition, so that it differs from those of small ones. */
export const LARGE_BASE = 2 ** 50
const SMALL = 2 ** SMALL_BITS
const LARGE = 2 ** LARGE_BITS
/** The number of ids whose matches tell a rare word from a common one. */
const SAMPLE = 1024
/** With fewer matches in a sample, a query probably has so few in all that the index returns all of them fast. */
const FEW = 4
/** The minimum length of the first range: enough that thousands of its pages have a common word. */
const FIRST = 2 * SMALL
/** Each row is compared with all partitions of a range, so that their number is limited. */
const MAX_PARTITIONS = 64
/** The minimum of matches to estimate the density of matches among older pages. */
const MIN_SAMPLE = 16
/** The maximum growth of a range over all ranges before it, while the sample is too small. */
const MAX_GROWTH = 16

/** The newest pages below an id. */
export function firstIdRange(below: number): IdRange {
  return rangeBelow(below, FIRST)
}

/** The same, or so many of them as tell how common the matches are, if each page is read for that. */
export function sampleRange(below: number): IdRange {
  return idsBetween(Math.max(0, below - SAMPLE), below)
}

/** The ids from one to below another one. */
export function idsBetween(low: number, below: number): IdRange {
  return { ...rangeBelow(below, below - low), low }
}

/** All pages below an id. */
export function allIds(below: number): IdRange {
  return { low: 0, below, partitions: undefined }
}

/** Whether a range is short enough to read each of its pages. */
export function isShort({ low, below }: IdRange): boolean {
  return below - low <= 4 * SMALL
}

/**
 * The range before `last`, when `found` of `wanted` matches were found in the `seenIds` ids so far. After a sample with
 * few matches it is all pages, with others the rest of the first range.
 */
export function nextIdRange(
  last: IdRange,
  seenIds: number,
  { found, wanted }: { readonly found: number; readonly wanted: number },
): IdRange | undefined {
  if (last.low === 0) return undefined
  if (seenIds < FIRST) return found < FEW ? allIds(last.low) : rangeBelow(last.low, FIRST - seenIds)
  const range = rangeBelow(last.low, lengthFor(seenIds, found, wanted))
  // Most pages of all: to look up each match in the partitions costs more than to skip those that were seen.
  return range.low === 0 && range.below > seenIds ? allIds(range.below) : range
}

/**
 * As long as the missing matches are expected to need, because a query reads every match of its range. With too few
 * matches ranges grow step by step: the words may be common among older pages.
 */
function lengthFor(seenIds: number, foundIds: number, wantedCount: number): number {
  const expectedLength = (seenIds / Math.max(foundIds, 1)) * (wantedCount - foundIds) * 1.25
  return foundIds < MIN_SAMPLE ? Math.min(expectedLength, MAX_GROWTH * seenIds) : expectedLength
}

function rangeBelow(below: number, size: number): IdRange {
  const unit = size <= LARGE ? SMALL : LARGE
  const first = Math.min(Math.max(0, Math.floor((below - size) / unit)), Math.floor((below - 1) / unit))
  const last = Math.floor((below - 1) / unit)
  const base = unit === LARGE ? LARGE_BASE : 0
  const partitions =
    last - first < MAX_PARTITIONS ? Array.from({ length: last - first + 1 }, (_, n) => base + first + n) : undefined
  return { low: first * unit, below, partitions }
}
