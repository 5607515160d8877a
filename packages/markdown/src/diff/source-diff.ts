import { diffLists, type Run } from '@recto/lib/text/diff.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'
import { diffWords, type LineSegment } from './word-diff.ts'

/** A line of one of the two bodies; `number` is from 1. */
export interface DiffLine {
  readonly number: number
  readonly pieces: readonly LineSegment[]
  /** Whether it is the last one, without a line break. */
  readonly unended: boolean
}

/** A row of a side-by-side diff: an unchanged line, an added or removed one, or a changed pair. */
export interface DiffRow {
  readonly kind: 'same' | 'changed'
  readonly before: DiffLine | undefined
  readonly after: DiffLine | undefined
}

/** A hunk: changes close together, with context lines. */
interface Hunk {
  readonly rows: readonly DiffRow[]
}

export interface SourceDiff {
  readonly hunks: readonly Hunk[]
  /** Total added and removed lines. */
  readonly added: number
  readonly removed: number
  /** Whether there are more changes than the hunks show. */
  readonly truncated: boolean
  /** The body without a final line break, if it is only one. */
  readonly unended: 'before' | 'after' | undefined
}

const AROUND = 3
const MAX_ROWS = 2_000
const MAX_CHARACTERS = 200_000
/** After this many segments word diffs stop, because each segment takes time to render. */
const MAX_PIECES = 8_000
/** In characters; longer lines are truncated. */
const MAX_LINE = 20_000

/** Line diff, with a word diff of changed lines. Time and size are bounded for any input. */
export function sourceDiff(before: string, after: string): SourceDiff {
  const [a, b] = [splitLines(before), splitLines(after)]
  const runs = diffLists(a, b)
  const budget = { rows: MAX_ROWS, characters: MAX_CHARACTERS, pieces: MAX_PIECES }
  const hunks: Hunk[] = []
  let truncated = false
  for (const group of groupRuns(runs)) {
    const rows = group.flatMap((run) => buildRows(run, a, b, budget))
    truncated ||= budget.rows <= 0 || budget.characters <= 0
    if (rows.length > 0) hunks.push({ rows })
    if (truncated) break
  }
  const count = (side: 'a' | 'b') => runs.reduce((sum, run) => sum + (run.same ? 0 : run[side][1] - run[side][0]), 0)
  const ends = [before, after].map((body) => body === '' || body.endsWith('\n'))
  const unendedSide = ends[0] === ends[1] ? undefined : ends[0] ? 'after' : 'before'
  return { hunks, added: count('b'), removed: count('a'), truncated, unended: unendedSide }
}

/** Groups runs of changes with their context; a long unchanged run starts a new group. */
function groupRuns(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = []
  let group: Run[] = []
  for (const [index, run] of runs.entries()) {
    if (!run.same) {
      group.push(run)
      continue
    }
    const [first, last] = [index === 0, index === runs.length - 1]
    const length = run.a[1] - run.a[0]
    if (!first && !last && length <= 2 * AROUND + 1) {
      group.push(run)
      continue
    }
    if (!first) groups.push([...group, part(run, 0, AROUND)])
    group = last ? [] : [part(run, Math.max(0, length - AROUND), length)]
  }
  if (group.length > 0) groups.push(group)
  return groups
}

function part({ a, b }: Run, from: number, to: number): Run {
  const end = Math.min(to, a[1] - a[0])
  return { same: true, a: [a[0] + from, a[0] + end], b: [b[0] + from, b[0] + end] }
}

function buildRows(
  run: Run,
  a: readonly string[],
  b: readonly string[],
  budget: { rows: number; characters: number; pieces: number },
): DiffRow[] {
  const rows: DiffRow[] = []
  const length = Math.max(run.a[1] - run.a[0], run.b[1] - run.b[0])
  for (let offset = 0; offset < length && budget.rows > 0 && budget.characters > 0; offset++) {
    const [x, y] = [run.a[0] + offset, run.b[0] + offset]
    const before = toLine(x, x < run.a[1] ? a[x] : undefined)
    const after = toLine(y, y < run.b[1] ? b[y] : undefined)
    budget.rows--
    budget.characters -= (before.text?.length ?? 0) + (after.text?.length ?? 0)
    const marks = !run.same && budget.pieces > 0
    const row = buildRow(run.same, before, after, marks)
    budget.pieces -= (row.before?.pieces.length ?? 0) + (row.after?.pieces.length ?? 0)
    rows.push(row)
  }
  return rows
}

type Line = Pick<DiffLine, 'number' | 'unended'> & { readonly text: string | undefined }

function toLine(index: number, line: string | undefined): Line {
  return { number: index + 1, text: line && cut(line.replace(/\n$/, '')), unended: line?.endsWith('\n') === false }
}

function buildRow(same: boolean, before: Line, after: Line, marks: boolean): DiffRow {
  const whole = ({ text, ...line }: Line): DiffLine | undefined =>
    text === undefined ? undefined : { ...line, pieces: [{ text, changed: false }] }
  if (!marks || before.text === undefined || after.text === undefined) {
    return { kind: same ? 'same' : 'changed', before: whole(before), after: whole(after) }
  }
  const words = diffWords(before.text, after.text)
  return {
    kind: 'changed',
    before: { number: before.number, pieces: words.before, unended: before.unended },
    after: { number: after.number, pieces: words.after, unended: after.unended },
  }
}

function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()} … (${line.length - MAX_LINE} more)`
}
