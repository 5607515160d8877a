import type { DiffLine, DiffRow, SourceDiff } from './source-diff.ts'

/** A line diff in the unified format of `diff -u`, with `names` for the two sides. */
export function unifiedDiff(diff: SourceDiff, [before, after]: readonly [string, string]): string {
  const lines = [`--- ${before}`, `+++ ${after}`]
  let skipped = { before: 0, after: 0 }
  for (const { rows } of diff.hunks) {
    const sides = { before: linesOf(rows, 'before'), after: linesOf(rows, 'after') }
    lines.push(`@@ -${rangeOf(sides.before, skipped.before)} +${rangeOf(sides.after, skipped.after)} @@`)
    for (const line of hunkLines(rows)) lines.push(line)
    skipped = { before: endOf(sides.before, skipped.before), after: endOf(sides.after, skipped.after) }
  }
  if (diff.unended) lines.push(`\\ No newline at end of ${diff.unended === 'before' ? before : after}`)
  return lines.join('\n')
}

/** Removed lines of a run of changes come before its added ones. */
function hunkLines(rows: readonly DiffRow[]): string[] {
  const lines: string[] = []
  let added: string[] = []
  for (const { kind, before, after } of rows) {
    if (kind === 'same') {
      for (const line of added) lines.push(line)
      lines.push(` ${textOf(before)}`)
      added = []
    } else {
      if (before) lines.push(`-${textOf(before)}`)
      if (after) added.push(`+${textOf(after)}`)
    }
  }
  return [...lines, ...added]
}

function linesOf(rows: readonly DiffRow[], side: 'before' | 'after'): DiffLine[] {
  return rows.flatMap((row) => row[side] ?? [])
}

/** First line and number of lines; of an empty range the line before it. */
function rangeOf(lines: readonly DiffLine[], last: number): string {
  const [first] = lines
  return first ? `${first.number},${lines.length}` : `${last},0`
}

function endOf(lines: readonly DiffLine[], last: number): number {
  return lines.at(-1)?.number ?? last
}

function textOf(line: DiffLine | undefined): string {
  return line?.pieces.map(({ text }) => text).join('') ?? ''
}
