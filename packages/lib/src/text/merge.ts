import { diffLists, type Run } from './diff.ts'
import { splitLines } from './split-lines.ts'

/** A part of the result of a merge: merged lines, or a conflict of lines that both sides changed differently. */
export type MergedPart =
  | { readonly kind: 'settled'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict'
      readonly base: readonly string[]
      readonly mine: readonly string[]
      readonly theirs: readonly string[]
    }

/** A change of one side: `base` from..to became `side` from..to. */
interface SideChange {
  readonly from: number
  readonly to: number
  readonly sideFrom: number
  readonly sideTo: number
}

/**
 * Three-way merge of texts by line (diff3): changes of one side, and equal ones of both, are applied; different changes
 * of the same place are a conflict. Lines keep their ends: the joined parts are the text.
 */
export function merge3(base: string, mine: string, theirs: string): MergedPart[] {
  const [b, m, t] = [splitLines(base), splitLines(mine), splitLines(theirs)]
  const [ours, others] = [toChanges(diffLists(b, m)), toChanges(diffLists(b, t))]
  const parts: MergedPart[] = []
  let at = 0
  let [i, j] = [0, 0]
  // The offset of the lines of each side to those of the base.
  let [mineShift, theirShift] = [0, 0]
  while (i < ours.length || j < others.length) {
    const start = Math.min(ours[i]?.from ?? Infinity, others[j]?.from ?? Infinity)
    const place = adjacentChanges(ours, others, { i, j, end: start })
    const { end } = place
    addSettled(parts, b.slice(at, start))
    const mineFrom = start + mineShift
    const theirFrom = start + theirShift
    for (const change of ours.slice(i, place.i)) mineShift += growth(change)
    for (const change of others.slice(j, place.j)) theirShift += growth(change)
    ;[i, j] = [place.i, place.j]
    addPlace(parts, {
      base: b.slice(start, end),
      mine: m.slice(mineFrom, end + mineShift),
      theirs: t.slice(theirFrom, end + theirShift),
    })
    at = end
  }
  addSettled(parts, b.slice(at))
  return parts
}

interface Place {
  /** The next change of each side. */
  readonly i: number
  readonly j: number
  /** Its end in the base. */
  readonly end: number
}

/** Extends a place over all changes that touch it: two insertions at the same point have no order. */
function adjacentChanges(ours: readonly SideChange[], others: readonly SideChange[], from: Place): Place {
  let { i, j, end } = from
  for (;;) {
    const our = ours[i]
    const other = others[j]
    if (our && our.from <= end) {
      end = Math.max(end, our.to)
      i++
    } else if (other && other.from <= end) {
      end = Math.max(end, other.to)
      j++
    } else return { i, j, end }
  }
}

/** The merged text, unless a part is a conflict. */
export function settledText(parts: readonly MergedPart[]): string | undefined {
  let text = ''
  for (const part of parts) {
    if (part.kind === 'conflict') return undefined
    text += part.lines.join('')
  }
  return text
}

/** The text with both sides of each conflict, between conflict markers. */
export function markedText(
  parts: readonly MergedPart[],
  names: { readonly mine: string; readonly theirs: string },
): string {
  return parts
    .map((part) => {
      if (part.kind === 'settled') return part.lines.join('')
      const [mine, theirs] = [part.mine, part.theirs].map(closed)
      return `<<<<<<< ${names.mine}\n${mine}=======\n${theirs}>>>>>>> ${names.theirs}\n`
    })
    .join('')
}

const MARKER = /^(?:<{7} yours|>{7} version \d+(?: \([0-9a-f]{8}\))?)\r?$/

/** The number of the first line with a conflict marker that `before` does not have; undefined if there is none. */
export function lineOfMarker(text: string, before: string): number | undefined {
  const markers = new Set(before.split('\n').filter((line) => MARKER.test(line)))
  const index = text.split('\n').findIndex((line) => MARKER.test(line) && !markers.has(line))
  return index === -1 ? undefined : index + 1
}

/** Where a line begins, which is counted from 1. */
export function findLineStart(text: string, line: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return before.reduce((sum, each) => sum + each.length + 1, 0)
}

function toChanges(runs: readonly Run[]): SideChange[] {
  return runs.filter((run) => !run.same).map(({ a, b }) => ({ from: a[0], to: a[1], sideFrom: b[0], sideTo: b[1] }))
}

function growth({ from, to, sideFrom, sideTo }: SideChange): number {
  return sideTo - sideFrom - (to - from)
}

function addPlace(
  parts: MergedPart[],
  place: { readonly base: readonly string[]; readonly mine: readonly string[]; readonly theirs: readonly string[] },
): void {
  const [base, mine, theirs] = [place.base, place.mine, place.theirs].map((lines) => lines.join(''))
  if (mine === theirs || theirs === base) addSettled(parts, place.mine)
  else if (mine === base) addSettled(parts, place.theirs)
  else parts.push({ kind: 'conflict', ...place })
}

function addSettled(parts: MergedPart[], lines: readonly string[]): void {
  if (lines.length === 0) return
  const last = parts.at(-1)
  if (last?.kind === 'settled') parts[parts.length - 1] = { kind: 'settled', lines: [...last.lines, ...lines] }
  else parts.push({ kind: 'settled', lines })
}

function closed(lines: readonly string[]): string {
  const text = lines.join('')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
