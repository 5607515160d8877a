import type { Text } from '@codemirror/state'

const MAX_LINES = 500

/** The end of the front matter, which is no Markdown; 0 if there is none. */
export function frontMatterEnd(doc: Text): number {
  if (!/^\uFEFF?---[ \t]*$/.test(doc.line(1).text)) return 0
  const last = Math.min(doc.lines, MAX_LINES)
  for (let number = 2; number <= last; number++) {
    const line = doc.line(number)
    if (/^(?:---|\.\.\.)[ \t]*$/.test(line.text)) return line.to
  }
  return 0
}
