import { countFitting } from '@recto/lib/bisect.ts'

/** The offsets of the lines of a body; a line break at the end starts no line. */
export function lineStarts(body: string): number[] {
  const starts = [0]
  for (const lineEnd of body.matchAll(/\r\n?|\n/g)) starts.push(lineEnd.index + lineEnd[0].length)
  if (starts.length > 1 && starts.at(-1) === body.length) starts.pop()
  return starts
}

/**
 * At most `max` characters of the lines from `fromLine` to `toLine`, and the position to continue from (`next`); lines
 * and columns count from 1. It ends at a line break if one is in its second half, else within the line that is too
 * long, never within a character.
 */
export function buildExcerpt(
  body: string,
  starts: readonly number[],
  range: { readonly fromLine: number; readonly fromColumn: number; readonly toLine: number },
  max: number,
) {
  const lineStart = (line: number) => starts[line - 1] ?? body.length
  const start = Math.min(lineStart(range.fromLine) + range.fromColumn - 1, lineStart(range.fromLine + 1))
  const end = Math.max(lineStart(range.toLine + 1), start)
  const cut = end - start <= max ? end : cutAt(body, starts, start, start + max)
  const last = lineAt(starts, Math.max(cut - 1, start))
  const line = lineAt(starts, cut)
  return {
    content: body.slice(start, cut),
    fromLine: range.fromLine,
    /** The line of its last character. */
    toLine: last,
    next: cut < end ? { line, column: cut - lineStart(line) + 1 } : undefined,
  }
}

/** The last start of a line in the second half of what fits, else the last start of a character. */
function cutAt(body: string, starts: readonly number[], start: number, limit: number): number {
  const line = starts[lineAt(starts, limit) - 1] ?? 0
  if (line > (start + limit) / 2) return line
  const code = body.charCodeAt(limit - 1)
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit
}

function lineAt(starts: readonly number[], offset: number): number {
  return countFitting(starts.length, (line) => (starts[line] ?? 0) <= offset)
}
