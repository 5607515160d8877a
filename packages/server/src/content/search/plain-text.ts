/**
 * The visible text of a Markdown body: without front matter, comments, HTML tags, link targets and syntax characters.
 * It is intentionally approximate, takes linear time for any body, and keeps the line breaks of the body.
 */
export function plainText(body: string): string {
  return (
    withoutComments(withoutFrontMatter(body))
      // No match contains the start of another one, which keeps the expressions linear.
      .replace(/!?\[([^[\]]{0,500})\](?:\([^()\n]{0,2000}\)|\[[^[\]\n]{0,200}\])/g, '$1')
      .replace(/<\/?[a-zA-Z][^<>]{0,1000}>/g, (tag) => (tag.includes('://') && !tag.includes('=') ? tag : blank(tag)))
      .replace(/^[ \t]{0,8}(?:#{1,6}|>|[-+*]|\d{1,9}[.)]|`{3,}.*|~{3,}.*|\[[^[\]\n]{1,200}\]:.*)(?=\s|$)/gm, ' ')
      .replace(/[*`~|]{1,100}|\\(?=[!-/:-@[-`{-~])/g, '')
      .replace(/&(?:nbsp|ensp|emsp);/g, ' ')
      .replace(/&amp;/g, '&')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
  )
}

/** A space, and the line breaks of the removed text. */
function blank(cut: string): string {
  return ` ${cut.replace(/[^\n]+/g, '')}`
}

function withoutFrontMatter(body: string): string {
  const begin = /^\ufeff?---[ \t]*\r?\n/.exec(body)?.[0]
  if (begin === undefined) return body
  const end = /^(?:---|\.\.\.)[ \t]*$/m.exec(body.slice(begin.length))
  if (!end) return body
  const rest = begin.length + end.index + end[0].length
  return blank(body.slice(0, rest)) + body.slice(rest)
}

function withoutComments(text: string): string {
  const parts: string[] = []
  let at = 0
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', start + 4)
    if (end === -1) break
    parts.push(text.slice(at, start), blank(text.slice(start, end)))
    at = end + 3
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(at)
}

/** The path in the target of a link or an image. */
const TARGET_PATH = /\]\(([^()\s?#]{1,400})(?=[)\s?#])/g
const FILE_NAME = /^.{1,100}\.[a-zA-Z0-9]{1,8}$/
const MAX_FILES = 200

/** The names of files in targets of links and images, such as `plan.pdf`, but not of pages. */
export function fileNames(body: string): string[] {
  const names: string[] = []
  for (const [, path = ''] of body.matchAll(TARGET_PATH)) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (!FILE_NAME.test(name)) continue
    if (!/\.(?:md|html?)$/i.test(name) && names.push(name) === MAX_FILES) break
  }
  return names
}
