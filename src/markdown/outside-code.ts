/** The mark of a fenced block of code; one of backticks has none behind it in its line. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/

/** Converts the parts of a Markdown text that are not code, line by line. Fenced blocks and code spans stay as they are. */
export function outsideCode(text: string, convert: (part: string) => string): string {
  let fence: string | undefined
  const lines = text.split('\n').map((line) => {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined
      return line
    }
    fence = FENCE.exec(line)?.[1]
    return fence === undefined ? outsideSpans(line, convert) : line
  })
  return lines.join('\n')
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim()
  const isMark = mark.length >= fence.length && [...mark].every((sign) => sign === fence[0])
  return isMark && line.search(/\S/) <= 3
}

/** A code span ends at the next run of as many backticks. */
function outsideSpans(line: string, convert: (part: string) => string): string {
  const runs = [...line.matchAll(/`+/g)]
  const next = nextAlike(runs.map(([run]) => run.length))
  let result = ''
  let from = 0
  for (let index = 0; index < runs.length; index++) {
    const [open, close] = [runs[index], runs[next[index] ?? -1]]
    if (!open || !close) continue
    const end = close.index + close[0].length
    result += convert(line.slice(from, open.index)) + line.slice(open.index, end)
    from = end
    index = next[index] ?? index
  }
  return result + convert(line.slice(from))
}

/** For each number the place of the next equal one. */
function nextAlike(numbers: readonly number[]): (number | undefined)[] {
  const last = new Map<number, number>()
  return numbers
    .map((_, index) => numbers.length - 1 - index)
    .map((place) => {
      const number = numbers[place] ?? 0
      const found = last.get(number)
      last.set(number, place)
      return found
    })
    .reverse()
}
