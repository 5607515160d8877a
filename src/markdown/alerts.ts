import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/** GitHub's alerts: a block quote whose first line is `[!NOTE]` or one of the four others. */
export function alerts(md: MarkdownIt): void {
  md.core.ruler.before('inline', 'alerts', markAlerts)
  md.renderer.rules.alert_open = (tokens, index) => {
    const kind = tokens[index]?.info ?? ''
    const title = kind.charAt(0).toUpperCase() + kind.slice(1)
    // Isolated, so that the text of the alert decides its direction.
    return `<div class="alert alert-${kind}" role="note">\n<p class="alert-title"><bdi>${title}</bdi></p>\n`
  }
  md.renderer.rules.alert_close = () => '</div>\n'
}

const MARKER = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i

function markAlerts(state: StateCore): void {
  const { tokens } = state
  const emptied = new Set<Token>()
  let inAlert = false
  tokens.forEach((token, index) => {
    // Only at the top level, like GitHub.
    if (token.level > 0) return
    if (token.type === 'blockquote_close' && inAlert) {
      token.type = 'alert_close'
      inAlert = false
    }
    if (token.type !== 'blockquote_open') return
    const [open, content, close] = tokens.slice(index + 1, index + 4)
    if (open?.type !== 'paragraph_open' || content?.type !== 'inline' || !close) return
    const marker = MARKER.exec(content.content)
    if (!marker) return
    inAlert = true
    token.type = 'alert_open'
    token.info = marker[1]?.toLowerCase() ?? ''
    content.content = content.content.slice(marker[0].length)
    if (content.map) content.map = [content.map[0] + 1, content.map[1]]
    if (content.content === '') for (const part of [open, content, close]) emptied.add(part)
  })
  if (emptied.size > 0) state.tokens = tokens.filter((token) => !emptied.has(token))
}
