import { countFitting } from '../bisect.ts'

/** A run of equal or of different elements: `a` and `b` are half-open index ranges. */
export interface Run {
  readonly same: boolean
  readonly a: readonly [number, number]
  readonly b: readonly [number, number]
}

/** Elements as numbers: equal ones have the same number. */
interface Lists {
  readonly a: Int32Array
  readonly b: Int32Array
  readonly kinds: number
}

type Range = readonly [aFrom: number, aTo: number, bFrom: number, bTo: number]

/** A pair of indexes of equal elements. */
type Pair = readonly [a: number, b: number]

const MAX_DEPTH = 16
/** The maximum of edits that are searched for in one place: the search takes the square of it in time and memory. */
const MAX_EDITS = 600

/**
 * The difference of two lists: runs that cover both in order, where same and different ones alternate. It anchors on
 * elements that are unique in both (patience diff), and between those finds the shortest edit script (Myers, 1986).
 * Where that would take too long, a complete range is reported as different, so that the time is nearly linear for
 * all inputs.
 */
export function diffLists(a: readonly string[], b: readonly string[], maxEdits = MAX_EDITS): Run[] {
  const lists = numbered(a, b)
  const pairs: Pair[] = []
  match(lists, [0, a.length, 0, b.length], pairs, MAX_DEPTH, maxEdits)
  return buildRuns(pairs, a.length, b.length)
}

function numbered(a: readonly string[], b: readonly string[]): Lists {
  const numbers = new Map<string, number>()
  const getNumber = (element: string) => {
    const elementNumber = numbers.get(element)
    if (elementNumber !== undefined) return elementNumber
    numbers.set(element, numbers.size)
    return numbers.size - 1
  }
  return { a: Int32Array.from(a, getNumber), b: Int32Array.from(b, getNumber), kinds: numbers.size }
}

/** Finds the pairs of a range, in order. */
function match(lists: Lists, range: Range, pairs: Pair[], depth: number, maxEdits: number): void {
  const { a, b } = lists
  let [aFrom, aTo, bFrom, bTo] = range
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) pairs.push([aFrom++, bFrom++])
  const end = aTo
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--
    bTo--
  }
  if (aFrom < aTo && bFrom < bTo) {
    const middle: Range = [aFrom, aTo, bFrom, bTo]
    const anchors = depth > 0 ? findAnchors(lists, middle) : []
    if (anchors.length > 0) between(lists, middle, anchors, pairs, depth - 1, maxEdits)
    // Not spread: there may be more than a call takes.
    else for (const pair of fewestEdits(lists, middle, maxEdits)) pairs.push(pair)
  }
  for (let place = aTo; place < end; place++) pairs.push([place, bTo + place - aTo])
}

function between(
  lists: Lists,
  [aFrom, aTo, bFrom, bTo]: Range,
  anchors: readonly Pair[],
  pairs: Pair[],
  depth: number,
  maxEdits: number,
): void {
  let [aAt, bAt] = [aFrom, bFrom]
  for (const [aPlace, bPlace] of anchors) {
    match(lists, [aAt, aPlace, bAt, bPlace], pairs, depth, maxEdits)
    pairs.push([aPlace, bPlace])
    ;[aAt, bAt] = [aPlace + 1, bPlace + 1]
  }
  match(lists, [aAt, aTo, bAt, bTo], pairs, depth, maxEdits)
}

/** The longest increasing sequence of pairs of elements that are unique in both lists within the range. */
function findAnchors({ a, b }: Lists, [aFrom, aTo, bFrom, bTo]: Range): Pair[] {
  const inA = findPlaces(a, aFrom, aTo)
  const inB = findPlaces(b, bFrom, bTo)
  const pairs: Pair[] = []
  for (const [number, place] of inA) {
    const other = inB.get(number)
    if (place >= 0 && other !== undefined && other >= 0) pairs.push([place, other])
  }
  return longestRising(pairs)
}

/** The index of each element; -1 if it is not unique. In the order of first occurrences. */
function findPlaces(list: Int32Array, from: number, to: number): Map<number, number> {
  const places = new Map<number, number>()
  for (let place = from; place < to; place++) {
    const number = list[place] ?? -1
    places.set(number, places.has(number) ? -1 : place)
  }
  return places
}

/** The longest subsequence of pairs that is increasing in both lists. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = []
  const before = new Int32Array(pairs.length)
  for (const [index, [, place]] of pairs.entries()) {
    // Of the longest sequence that it can continue.
    const length = countFitting(ends.length, (at) => (pairs[ends[at] ?? 0]?.[1] ?? 0) < place)
    before[index] = length === 0 ? -1 : (ends[length - 1] ?? -1)
    ends[length] = index
  }
  const row: Pair[] = []
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index]
    if (pair) row.push(pair)
  }
  return row.reverse()
}

/** The pairs of a shortest edit script; none if it is longer than `maxEdits`. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the inner loop of Myers' algorithm, on typed arrays
function fewestEdits({ a, b }: Lists, [aFrom, aTo, bFrom, bTo]: Range, maxEdits: number): Pair[] {
  const width = aTo - aFrom
  const height = bTo - bFrom
  const limit = Math.min(width + height, maxEdits)
  // `reach[k + limit]`: the furthest index in `a` on the diagonal k = x - y. One copy for each edit, to backtrack.
  const reach = new Int32Array(2 * limit + 2)
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reach.slice(limit - edits, limit + edits + 2))
    for (let k = -edits; k <= edits; k += 2) {
      const leftReach = reach[limit + k - 1] ?? 0
      const above = reach[limit + k + 1] ?? 0
      let x = k === -edits || (k !== edits && leftReach < above) ? above : leftReach + 1
      while (x < width && x - k < height && a[aFrom + x] === b[bFrom + x - k]) x++
      reach[limit + k] = x
      if (x >= width && x - k >= height) return pathBack(trace, edits, [width, height], [aFrom, bFrom])
    }
  }
  return []
}

function pathBack(trace: readonly Int32Array[], edits: number, [x0, y0]: Pair, [aFrom, bFrom]: Pair): Pair[] {
  const pairs: Pair[] = []
  let [x, y] = [x0, y0]
  for (let step = edits; step > 0; step--) {
    const reach = trace[step] ?? new Int32Array(0)
    const k = x - y
    const at = (diagonal: number) => reach[diagonal + step] ?? 0
    const down = k === -step || (k !== step && at(k - 1) < at(k + 1))
    const from = down ? k + 1 : k - 1
    const startX = down ? at(from) : at(from) + 1
    while (x > startX && y > 0) pairs.push([aFrom + --x, bFrom + --y])
    x = at(from)
    y = x - from
  }
  while (x > 0 && y > 0) pairs.push([aFrom + --x, bFrom + --y])
  return pairs.reverse()
}

function buildRuns(pairs: readonly Pair[], aLength: number, bLength: number): Run[] {
  const runs: Run[] = []
  let [aAt, bAt] = [0, 0]
  let runStart: Pair | undefined
  const close = () => {
    if (runStart) runs.push({ same: true, a: [runStart[0], aAt], b: [runStart[1], bAt] })
    runStart = undefined
  }
  for (const [a, b] of pairs) {
    if (a !== aAt || b !== bAt) {
      close()
      runs.push({ same: false, a: [aAt, a], b: [bAt, b] })
    }
    runStart ??= [a, b]
    ;[aAt, bAt] = [a + 1, b + 1]
  }
  close()
  if (aAt < aLength || bAt < bLength) runs.push({ same: false, a: [aAt, aLength], b: [bAt, bLength] })
  return runs
}
