/** The least of a space where a maximum of pages is shared by spaces. */
const LEAST_IN_EACH = 5

/** A maximum of pages as one for each space: an equal share, but some at least. */
export function limitInEach(spaceIds: readonly number[], max: number): number {
  return Math.max(LEAST_IN_EACH, Math.ceil(max / Math.max(spaceIds.length, 1)))
}
