import { countFitting } from '@recto/lib/bisect.ts'
import type { Splice } from './edits.ts'

/** The lines of the new body that an edit changed, from 1. */
export interface BodyChange {
  /** Index of the edit in the request, from 0. */
  readonly edit: number
  readonly fromLine: number
  readonly toLine: number
}

/** A range of characters that an edit wrote. */
export interface Touched {
  readonly edit: number
  readonly start: number
  readonly end: number
}

/**
 * The ranges that earlier edits wrote, moved by these splices, and those that the splices write. A range that overlaps
 * splices covers what they write. Takes O(ranges * log splices).
 */
export function followSplices(before: readonly Touched[], edit: number, splices: readonly Splice[]): Touched[] {
  const own: Touched[] = []
  // Prefix sums: how far the first n splices move what follows them.
  const shifts = [0]
  let shift = 0
  for (const { at, remove, insert } of splices) {
    own.push({ edit, start: at + shift, end: at + shift + insert.length })
    shift += insert.length - remove
    shifts.push(shift)
  }
  return [...before.map((range) => moved(range, splices, shifts)), ...own]
}

/** Converts ranges of characters to lines. */
export function toChanges(body: string, touchedParts: readonly Touched[]): BodyChange[] {
  const lineAt = lineCounter(body, touchedParts)
  return touchedParts.map(({ edit, start, end }) => ({
    edit,
    fromLine: lineAt(start),
    toLine: lineAt(Math.max(start, end - 1)),
  }))
}

function moved(range: Touched, splices: readonly Splice[], shifts: readonly number[]): Touched {
  const count = (fits: (splice: Splice) => boolean) =>
    countFitting(splices.length, (index) => fits(splices[index] as Splice)) // one of them
  const startedBefore = count(({ at }) => at < range.end)
  const passedSplices = Math.min(
    startedBefore,
    count(({ at, remove }) => at + remove <= range.start),
  )
  const [first, last] = passedSplices < startedBefore ? [splices[passedSplices], splices[startedBefore - 1]] : []
  const start = Math.min(range.start, first?.at ?? Infinity)
  const end = Math.max(range.end, last ? last.at + last.remove : 0)
  return { ...range, start: start + (shifts[passedSplices] ?? 0), end: end + (shifts[startedBefore] ?? 0) }
}

/** The line of each start and end of a range, in one pass over the body. */
function lineCounter(body: string, touchedParts: readonly Touched[]): (offset: number) => number {
  const lines = new Map<number, number>()
  const offsets = touchedParts.flatMap(({ start, end }) => [start, Math.max(start, end - 1)]).sort((a, b) => a - b)
  const breaks = /\r\n?|\n/g
  let line = 1
  let next = breaks.exec(body) ? breaks.lastIndex : Infinity
  for (const offset of offsets) {
    while (next <= offset) {
      line++
      next = breaks.exec(body) ? breaks.lastIndex : Infinity
    }
    lines.set(offset, line)
  }
  return (offset) => lines.get(offset) ?? line
}
