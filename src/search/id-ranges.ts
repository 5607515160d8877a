/**
 * A half-open range of page ids: `low` <= id < `below`. A search reads such ranges from the newest page to older ones.
 */
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
/** Each row is compared with all partitions of a range, so that their number is limited. */
const MAX_PARTITIONS = 64
/** The minimum of matches to estimate the density of matches among older pages. */
const MIN_SAMPLE = 16
/** The maximum growth of a range over all ranges before it, while the sample is too small. */
const MAX_GROWTH = 16

/** The newest pages below an id: enough that thousands of them have a common word. */
export function firstIdRange(below: number): IdRange {
  return rangeBelow(below, 2 * SMALL)
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
 * The range before `last`, when `found` of `wanted` matches were found in the `seen` ids so far: as long as the
 * missing matches are expected to need, because a query reads every match of its range. With too small a sample ranges
 * grow step by step: the words may be common among older pages.
 */
export function nextIdRange(
  last: IdRange,
  seen: number,
  { found, wanted }: { readonly found: number; readonly wanted: number },
): IdRange | undefined {
  if (last.low === 0) return undefined
  const expected = (seen / Math.max(found, 1)) * (wanted - found) * 1.25
  const range = rangeBelow(last.low, found < MIN_SAMPLE ? Math.min(expected, MAX_GROWTH * seen) : expected)
  // Most pages of all: to look up each match in the partitions costs more than to skip those that were seen.
  return range.low === 0 && range.below > seen ? allIds(range.below) : range
}

function rangeBelow(below: number, size: number): IdRange {
  const unit = size <= LARGE ? SMALL : LARGE
  const first = Math.min(Math.max(0, Math.floor((below - size) / unit)), Math.floor((below - 1) / unit))
  const last = Math.floor((below - 1) / unit)
  const base = unit === LARGE ? LARGE_BASE : 0
  const partitions =
    last - first < MAX_PARTITIONS
      ? Array.from({ length: last - first + 1 }, (_, n) => base + first + n)
      : undefined
  return { low: first * unit, below, partitions }
}
