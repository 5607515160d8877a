/** The trimmed parts of a header field between separators outside quoted strings (RFC 9110, section 5.6). */
export function splitHeader(header: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at <= header.length; at++) {
    if (header[at] === '"') quoted = !quoted
    if (at === header.length || (header[at] === separator && !quoted)) {
      parts.push(header.slice(start, at).trim())
      start = at + 1
    }
  }
  return parts
}
