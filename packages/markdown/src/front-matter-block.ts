const OPENING = /^\uFEFF?---[ \t]*\r?\n/
const CLOSING = /(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** The block of a body, without its byte order mark: its YAML from `start` on, and all of it up to `end`. */
export function frontMatterBlock(
  body: string,
): { readonly yaml: string; readonly from: number; readonly start: number; readonly end: number } | undefined {
  const start = OPENING.exec(body)?.[0].length
  if (start === undefined) return undefined
  const rest = body.slice(start)
  const closing = CLOSING.exec(rest)
  if (!closing) return undefined
  const end = start + closing.index + closing[0].length
  return { yaml: rest.slice(0, closing.index), from: body.indexOf('---'), start, end }
}

/** The end of the front matter of a body, in characters; 0 if it has none. */
export function frontMatterEnd(body: string): number {
  return frontMatterBlock(body)?.end ?? 0
}
