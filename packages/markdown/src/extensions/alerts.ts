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
  const emptiedTokens = new Set<Token>()
  let inAlert = false
  tokens.forEach((token, index) => {
    // Only at the top level, like GitHub.
    if (token.level > 0) return
    if (token.type === 'blockquote_open') inAlert = markAlert(token, tokens.slice(index + 1, index + 4), emptiedTokens)
    else if (token.type === 'blockquote_close' && inAlert) token.type = 'alert_close'
  })
  if (emptiedTokens.size > 0) state.tokens = tokens.filter((token) => !emptiedTokens.has(token))
}

/** Makes a block quote an alert if its first paragraph starts with a marker, which is removed. */
function markAlert(quote: Token, [open, content, close]: readonly Token[], emptiedTokens: Set<Token>): boolean {
  if (open?.type !== 'paragraph_open' || content?.type !== 'inline' || !close) return false
  const marker = MARKER.exec(content.content)
  if (!marker) return false
  quote.type = 'alert_open'
  quote.info = marker[1]?.toLowerCase() ?? ''
  content.content = content.content.slice(marker[0].length)
  if (content.map) content.map = [content.map[0] + 1, content.map[1]]
  if (content.content === '') for (const part of [open, content, close]) emptiedTokens.add(part)
  return true
}
