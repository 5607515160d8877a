/** `${{ ... }}`: GitHub Actions, or mathematics. In `format('{{0}}', x)` inside of it are no variables either. */
const EXPRESSION = /\$\{\{(?:(?!\{\{|\}\})[^\n]|\{\{[^{}\n]{0,64}\}\}){0,500}\}\}/u
/** `{{name}}`, with optional spaces inside. A backslash before it escapes it. */
const NAME = /\\?(?<!\$)\{\{[ \t]{0,8}([\p{L}\p{N}][\p{L}\p{N}_.-]{0,63})[ \t]{0,8}\}\}/u
const VARIABLE = new RegExp(`${EXPRESSION.source}|${NAME.source}`, 'gu')
const ESCAPE = '\\'

/** The distinct names of the variables in a text, in the order of their first occurrence. */
export function variablesIn(text: string): string[] {
  const names = new Set<string>()
  for (const [whole, name] of text.matchAll(VARIABLE)) {
    if (name !== undefined && !whole.startsWith(ESCAPE)) names.add(name)
  }
  return [...names]
}

/** Replaces variables that have a value, in one pass; undefined if the result would be larger than `maxBytes`. */
export function fillVariables(text: string, values: ReadonlyMap<string, string>, maxBytes: number): string | undefined {
  const parts: string[] = []
  let bytes = 0
  let from = 0
  const append = (part: string) => {
    parts.push(part)
    bytes += Buffer.byteLength(part)
  }
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, name] = match
    if (name === undefined) continue
    append(text.slice(from, match.index))
    append(whole.startsWith(ESCAPE) ? whole.slice(ESCAPE.length) : (values.get(name) ?? whole))
    from = match.index + whole.length
    if (bytes > maxBytes) return undefined
  }
  append(text.slice(from))
  return bytes > maxBytes ? undefined : parts.join('')
}
