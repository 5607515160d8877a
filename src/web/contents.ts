import { type Html, html } from './html.ts'

export interface Entry {
  readonly href: string
  readonly text: string
  /** 1 for the outermost. */
  readonly level: number
}

/** A table of contents: beside the text where there is room, folded above it elsewhere. The style sheet shows one. */
export function tableOfContents(entries: readonly Entry[]): Html {
  const items = entries.map(
    ({ href, text, level }) => html`<li class="level-${level}"><a href="${href}">${text}</a></li>\n`,
  )
  return html`<nav class="contents beside" aria-label="On this page">
<p>On this page</p>
<ol>
${items}</ol>
</nav>
<nav class="contents above" aria-label="On this page">
<details>
<summary>On this page</summary>
<ol>
${items}</ol>
</details>
</nav>`
}
