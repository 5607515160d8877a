/** The text of a cell within its line, without the spaces around it. Of an empty cell both are the same place. */
export interface Cell {
  readonly from: number
  readonly to: number
}

/** The cells of a row. Pipes after a backslash are text, in code as well. */
export function splitCells(line: string): Cell[] {
  const bounds = findPipes(line)
  const isEmptyAt = (from: number, to: number) => line.slice(from, to).trim() === ''
  const starts = [0, ...bounds.map((at) => at + 1)]
  const ends = [...bounds, line.length]
  // The pipes at both ends are optional.
  const first = bounds.length > 0 && isEmptyAt(0, ends[0] ?? 0) ? 1 : 0
  const last = bounds.length > first && isEmptyAt(starts.at(-1) ?? 0, line.length) ? 1 : 0
  const cells: Cell[] = []
  for (let index = first; index < starts.length - last; index++) {
    cells.push(trimmed(line, starts[index] ?? 0, ends[index] ?? line.length))
  }
  return cells
}

function findPipes(line: string): number[] {
  const pipes: number[] = []
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === '|') pipes.push(at)
  }
  return pipes
}

function trimmed(line: string, from: number, to: number): Cell {
  let [start, end] = [from, to]
  while (start < end && /[ \t]/.test(line[start] ?? '')) start++
  while (end > start && /[ \t]/.test(line[end - 1] ?? '')) end--
  // A caret in an empty cell is after the space that follows the pipe.
  if (start === end && to > from) start = end = from + 1
  return { from: start, to: end }
}
