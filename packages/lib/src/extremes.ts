/** The maximum of any number of values: `Math.max(...values)` puts each on the stack. `-Infinity` without values. */
export function findMaximum(values: Iterable<number>): number {
  let max = -Infinity
  for (const value of values) if (value > max) max = value
  return max
}

/** The minimum of any number of values; `Infinity` without values. */
export function findMinimum(values: Iterable<number>): number {
  let min = Infinity
  for (const value of values) if (value < min) min = value
  return min
}
