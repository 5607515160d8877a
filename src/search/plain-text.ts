/**
 * The text of a Markdown body about as readers see it: without front matter, comments, HTML tags, link targets and
 * syntax characters. It is approximate on purpose, and takes linear time for any body.
 */
export function plainText(body: string): string {
  return (
    withoutComments(withoutFrontMatter(body))
      // No match contains the start of another one: so the expressions stay linear.
      .replace(/!?\[([^[\]]{0,500})\](?:\([^()\n]{0,2000}\)|\[[^[\]\n]{0,200}\])/g, '$1')
      .replace(/<\/?[a-zA-Z][^<>]{0,1000}>/g, (tag) =>
        tag.includes('://') && !tag.includes('=') ? tag : ' ',
      )
      .replace(
        /^[ \t]{0,8}(?:#{1,6}|>|[-+*]|\d{1,9}[.)]|`{3,}.*|~{3,}.*|\[[^[\]\n]{1,200}\]:.*)(?=\s|$)/gm,
        ' ',
      )
      .replace(/[*`~|]{1,100}|\\(?=[!-/:-@[-`{-~])/g, '')
      .replace(/&(?:nbsp|ensp|emsp);/g, ' ')
      .replace(/&amp;/g, '&')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
  )
}

function withoutFrontMatter(body: string): string {
  const begin = /^\ufeff?---[ \t]*\r?\n/.exec(body)?.[0]
  if (begin === undefined) return body
  const end = /^(?:---|\.\.\.)[ \t]*$/m.exec(body.slice(begin.length))
  return end ? body.slice(begin.length + end.index + end[0].length) : body
}

function withoutComments(text: string): string {
  const parts: string[] = []
  let at = 0
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', start + 4)
    if (end === -1) break
    parts.push(text.slice(at, start))
    at = end + 3
  }
  return parts.length === 0 ? text : parts.join(' ') + text.slice(at)
}
