const OPENING = /^---[ \t]*\r?\n/
const CLOSING = /(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** The block of a body: its YAML from `start` on, and all of it with its fences, from `from` to `end`. */
export function frontMatterBlock(
  body: string,
): { readonly yaml: string; readonly from: number; readonly start: number; readonly end: number } | undefined {
  const text = withoutMark(body)
  const from = body.length - text.length
  const block = findBlock(text)
  const opening = OPENING.exec(text)?.[0].length ?? 0
  return block && { yaml: block.yaml, from, start: from + opening, end: from + block.end }
}

/** The end of the front matter of a body, in characters; 0 if it has none. */
export function frontMatterEnd(body: string): number {
  const text = withoutMark(body)
  const block = findBlock(text)
  return block ? block.end + body.length - text.length : 0
}

/** The body without the byte order mark. */
export function withoutMark(body: string): string {
  return body.startsWith('\uFEFF') ? body.slice(1) : body
}

/** The YAML of the block, and the end of the block. */
export function findBlock(text: string): { readonly yaml: string; readonly end: number } | undefined {
  const opening = OPENING.exec(text)
  if (!opening) return undefined
  const rest = text.slice(opening[0].length)
  const closing = CLOSING.exec(rest)
  if (!closing) return undefined
  return { yaml: rest.slice(0, closing.index), end: opening[0].length + closing.index + closing[0].length }
}
