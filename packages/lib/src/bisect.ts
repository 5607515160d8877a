/** How many of `length` elements fit: all up to one, and none from there on, so that it is found by bisection. */
export function countFitting(length: number, fits: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle + 1
    else high = middle
  }
  return low
}
