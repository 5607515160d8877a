/** `{{name}}`, with blanks inside where one likes; a backslash before it keeps it as it is. */
const VARIABLE = /\\?\{\{[ \t]{0,8}([\p{L}\p{N}][\p{L}\p{N}_.-]{0,63})[ \t]{0,8}\}\}/gu
const KEPT = '\\'

/** The names of the variables in a text, each once, in the order in which they first stand there. */
export function variablesIn(text: string): string[] {
  const names = new Set<string>()
  for (const [whole, name] of text.matchAll(VARIABLE)) {
    if (name !== undefined && !whole.startsWith(KEPT)) names.add(name)
  }
  return [...names]
}

/**
 * The text with its variables replaced, in one pass: what a value holds is not looked into. A name without a value
 * stays. Undefined when the result has more than `maxBytes` bytes, which a short text can reach by many long values.
 */
export function fillVariables(
  text: string,
  values: ReadonlyMap<string, string>,
  maxBytes: number,
): string | undefined {
  const parts: string[] = []
  let bytes = 0
  let from = 0
  const add = (part: string) => {
    parts.push(part)
    bytes += Buffer.byteLength(part)
  }
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, name = ''] = match
    add(text.slice(from, match.index))
    add(whole.startsWith(KEPT) ? whole.slice(KEPT.length) : (values.get(name) ?? whole))
    from = match.index + whole.length
    if (bytes > maxBytes) return undefined
  }
  add(text.slice(from))
  return bytes > maxBytes ? undefined : parts.join('')
}
