import type { Splice } from './edits.ts'

/** The lines of the new body, counted from 1, that an edit changed. */
export interface Change {
  /** The number of the edit in the request, counted from 0. */
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

/** The ranges that earlier edits wrote, moved by these splices, and those that the splices write. */
export function followSplices(
  before: readonly Touched[],
  edit: number,
  splices: readonly Splice[],
): Touched[] {
  let touched = [...before]
  let shift = 0
  const own: Touched[] = []
  for (const { at, remove, insert } of splices) {
    const start = at + shift
    touched = touched.map((range) => moved(range, start, remove, insert.length))
    own.push({ edit, start, end: start + insert.length })
    shift += insert.length - remove
  }
  return [...touched, ...own]
}

/** The ranges as lines of the body. */
export function toChanges(body: string, touched: readonly Touched[]): Change[] {
  const lineAt = lineCounter(body, touched)
  return touched.map(({ edit, start, end }) => ({
    edit,
    fromLine: lineAt(start),
    toLine: lineAt(Math.max(start, end - 1)),
  }))
}

function moved(range: Touched, at: number, remove: number, added: number): Touched {
  if (range.end <= at) return range
  const delta = added - remove
  if (range.start >= at + remove) return { ...range, start: range.start + delta, end: range.end + delta }
  return { ...range, start: Math.min(range.start, at), end: Math.max(range.end, at + remove) + delta }
}

/** The line of each place that a range begins or ends at. The body is gone through once, and no line of it is kept. */
function lineCounter(body: string, touched: readonly Touched[]): (offset: number) => number {
  const lines = new Map<number, number>()
  const offsets = touched.flatMap(({ start, end }) => [start, Math.max(start, end - 1)]).sort((a, b) => a - b)
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
