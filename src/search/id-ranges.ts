/** Pages from the id `low` to below the id `below`. */
export interface IdRange {
  readonly low: number
  readonly below: number
  /** Groups of the index that together hold all of them; absent: all groups do. */
  readonly groups: readonly number[] | undefined
}

/** Ids that share all but their last so many bits are a small group, or a large one. */
export const SMALL_BITS = 11
export const LARGE_BITS = 16
/** Added to the number of a large group, so that it is not that of a small one. */
export const LARGE_BASE = 2 ** 50
const SMALL = 2 ** SMALL_BITS
const LARGE = 2 ** LARGE_BITS
/** Of more groups one page after another would be compared with too many. */
const MAX_GROUPS = 64
/** From so many matches one may conclude how many there are before them; from fewer not much. */
const TELLING = 16
const GROWTH = 16

/** The newest pages below an id: enough that a common word stands in thousands of them. */
export function firstIdRange(below: number): IdRange {
  return stretch(below, 2 * SMALL)
}

/** Whether a stretch is so short that each of its pages may be looked at. */
export function isShort({ low, below }: IdRange): boolean {
  return below - low <= 4 * SMALL
}

/**
 * The pages before `last`, when `found` of `wanted` matches were found in the `seen` ids so far: about as many as should
 * hold the rest, for every match is visited. Where next to nothing was found it may yet be common among older pages,
 * so that stretches grow step by step.
 */
export function nextIdRange(
  last: IdRange,
  seen: number,
  { found, wanted }: { readonly found: number; readonly wanted: number },
): IdRange | undefined {
  if (last.low === 0) return undefined
  const expected = (seen / Math.max(found, 1)) * (wanted - found) * 1.25
  return stretch(last.low, found < TELLING ? Math.min(expected, GROWTH * seen) : expected)
}

function stretch(below: number, size: number): IdRange {
  const unit = size <= LARGE ? SMALL : LARGE
  const first = Math.min(Math.max(0, Math.floor((below - size) / unit)), Math.floor((below - 1) / unit))
  const last = Math.floor((below - 1) / unit)
  const base = unit === LARGE ? LARGE_BASE : 0
  const groups =
    last - first < MAX_GROUPS
      ? Array.from({ length: last - first + 1 }, (_, n) => base + first + n)
      : undefined
  return { low: first * unit, below, groups }
}
