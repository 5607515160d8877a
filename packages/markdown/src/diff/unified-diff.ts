import type { DiffLine, DiffRow, SourceDiff } from './source-diff.ts'

/** A line diff in the unified format of `diff -u`, with `names` for the two sides. */
export function unifiedDiff(diff: SourceDiff, [before, after]: readonly [string, string]): string {
  const lines = [`--- ${before}`, `+++ ${after}`]
  let skippedLines = { before: 0, after: 0 }
  for (const { rows } of diff.hunks) {
    const sides = { before: listLines(rows, 'before'), after: listLines(rows, 'after') }
    lines.push(
      `@@ -${formatRange(sides.before, skippedLines.before)} +${formatRange(sides.after, skippedLines.after)} @@`,
    )
    for (const line of hunkLines(rows)) lines.push(line)
    skippedLines = {
      before: findEnd(sides.before, skippedLines.before),
      after: findEnd(sides.after, skippedLines.after),
    }
  }
  return lines.join('\n')
}

/** Removed lines of a run of changes come before its added ones. */
function hunkLines(rows: readonly DiffRow[]): string[] {
  const lines: string[] = []
  let addedLines: string[] = []
  for (const { kind, before, after } of rows) {
    if (kind === 'same') {
      for (const line of addedLines) lines.push(line)
      lines.push(` ${formatLine(before)}`)
      addedLines = []
    } else {
      if (before) lines.push(`-${formatLine(before)}`)
      if (after) addedLines.push(`+${formatLine(after)}`)
    }
  }
  return [...lines, ...addedLines]
}

function listLines(rows: readonly DiffRow[], side: 'before' | 'after'): DiffLine[] {
  return rows.flatMap((row) => row[side] ?? [])
}

/** First line and number of lines; of an empty range the line before it. */
function formatRange(lines: readonly DiffLine[], last: number): string {
  const [first] = lines
  return first ? `${first.number},${lines.length}` : `${last},0`
}

function findEnd(lines: readonly DiffLine[], last: number): number {
  return lines.at(-1)?.number ?? last
}

function formatLine(line: DiffLine | undefined): string {
  const text = line?.pieces.map((piece) => piece.text).join('') ?? ''
  return line?.unended ? `${text}\n\\ No newline at end of file` : text
}
