import type { MarkdownIt, Token } from 'markdown-it'

/** Tables are in a focusable scroll container, with columns aligned by class: styles are not allowed. */
export function tables(md: MarkdownIt): void {
  md.renderer.rules.table_open = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'
  md.renderer.rules.table_close = () => '</table></div>\n'
  md.renderer.rules.th_open = (tokens, index) => cell('th', tokens[index])
  md.renderer.rules.td_open = (tokens, index) => cell('td', tokens[index])
}

function cell(tag: string, token: Token | undefined): string {
  const align = /^text-align:(left|center|right)$/.exec(String(token?.attrGet('style') ?? ''))?.[1]
  return align === undefined ? `<${tag}>` : `<${tag} class="align-${align}">`
}
