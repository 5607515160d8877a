/** The greatest of the numbers, of any number of them: `Math.max(...values)` puts each on the stack. `-Infinity` of none. */
export function maxOf(values: Iterable<number>): number {
  let max = -Infinity
  for (const value of values) if (value > max) max = value
  return max
}

/** The least of the numbers, of any number of them; `Infinity` of none. */
export function minOf(values: Iterable<number>): number {
  let min = Infinity
  for (const value of values) if (value < min) min = value
  return min
}
