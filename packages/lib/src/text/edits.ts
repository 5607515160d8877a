/** Whether so many edits make one text the other: a letter inserted, deleted or replaced, or two neighbours swapped. */
export function isWithinEdits(one: string, other: string, edits: number): boolean {
  if (one === other) return true
  if (edits === 0) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const restIsWithin = (skip: number, otherSkip: number) =>
    isWithinEdits(one.slice(start + skip), other.slice(start + otherSkip), edits - 1)
  return (
    restIsWithin(1, 1) ||
    restIsWithin(1, 0) ||
    restIsWithin(0, 1) ||
    (one[start] === other[start + 1] && one[start + 1] === other[start] && restIsWithin(2, 2))
  )
}
