import { type Html, html } from './html.ts'

export interface Entry {
  readonly href: string
  readonly text: string
  /** 1 for the outermost. */
  readonly level: number
}

/** A table of contents beside the text, where there is room. The style sheet shows this one or the other. */
export function contentsBeside(entries: readonly Entry[]): Html {
  return html`<nav class="contents beside-text" aria-label="On this page">
<p>On this page</p>
${list(entries)}
</nav>`
}

/** The same, folded above the text. */
export function contentsAbove(entries: readonly Entry[]): Html {
  return html`<nav class="contents above" aria-label="On this page">
<details>
<summary>On this page</summary>
${list(entries)}
</details>
</nav>`
}

function list(entries: readonly Entry[]): Html {
  const items = entries.map(
    ({ href, text, level }) => html`<li class="level-${level}"><a href="${href}">${text}</a></li>\n`,
  )
  return html`<ol>
${items}</ol>`
}
