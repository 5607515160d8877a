/** Lines around a change. */
const CONTEXT = 3

/** The change of a file in the format of git, of one part; absent: there is no such file. Empty if nothing changes. */
export function filePatch(name: string, before?: string, after?: string, oldName = name): string {
  if (before === after && name === oldName) return ''
  const [from, to] = [quoted(`a/${oldName}`), quoted(`b/${name}`)]
  const move = name === oldName ? '' : `rename from ${quoted(oldName)}\nrename to ${quoted(name)}\n`
  const mode =
    before === undefined ? 'new file mode 100644\n' : after === undefined ? 'deleted file mode 100644\n' : move
  const names = `--- ${before === undefined ? '/dev/null' : from}\n+++ ${after === undefined ? '/dev/null' : to}\n`
  const hunk = toHunk(toLines(before ?? ''), toLines(after ?? ''))
  return `diff --git ${from} ${to}\n${mode}${hunk === '' ? '' : names}${hunk}`
}

/** Git quotes names with other characters than those of ASCII, as bytes in octal. */
function quoted(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name) && !/["\\]/.test(name)) return name
  const bytes = [...Buffer.from(name)].map((byte) => {
    const letter = String.fromCharCode(byte)
    if (letter === '"' || letter === '\\') return `\\${letter}`
    return byte >= 0x20 && byte < 0x7f ? letter : `\\${byte.toString(8).padStart(3, '0')}`
  })
  return `"${bytes.join('')}"`
}

/** Lines with their ends; the last one may have none. */
function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function toHunk(before: readonly string[], after: readonly string[]): string {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const first = Math.max(0, start - CONTEXT)
  const rest = Math.max(0, end - CONTEXT)
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  if (removed.length + added.length === 0) return ''
  const range = (lines: readonly string[]) => {
    const count = lines.length - rest - first
    return `${count === 0 ? 0 : first + 1},${count}`
  }
  const lines = [
    ...before.slice(first, start).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...before.slice(before.length - end, before.length - rest).map((line) => ` ${line}`),
  ]
  const closedLines = lines.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`))
  return `@@ -${range(before)} +${range(after)} @@\n${closedLines.join('')}`
}
