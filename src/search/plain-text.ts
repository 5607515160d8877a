/**
 * The text of a body about as readers see it: without front matter, comments, tags, targets of links, and the signs of
 * Markdown. It is approximate on purpose, and takes time in proportion to its length, whatever the body.
 */
export function plainText(body: string): string {
  return (
    withoutComments(withoutFrontMatter(body))
      // Only what cannot hold another start of the same is skipped over, so that no scan is begun twice.
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
  const pieces: string[] = []
  let at = 0
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', start + 4)
    if (end === -1) break
    pieces.push(text.slice(at, start))
    at = end + 3
  }
  return pieces.length === 0 ? text : pieces.join(' ') + text.slice(at)
}
