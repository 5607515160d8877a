import { type Html, html, t } from './html.ts'

interface ContentsEntry {
  readonly href: string
  readonly text: string
  /** 1 for the outermost. */
  readonly level: number
}

export interface Contents {
  readonly entries: readonly ContentsEntry[]
  /** The number of omitted headings at the end. */
  readonly left: number
}

/** A table of contents next to the text, for wide screens. The style sheet shows this one or the collapsed one. */
export function contentsBeside(contents: Contents): Html {
  return html`<nav class="contents beside-text" aria-label="${t('On this page')}">
<p>${t('On this page')}</p>
${list(contents)}
</nav>`
}

/** The collapsed table of contents above the text, for narrow screens. */
export function contentsAbove(contents: Contents): Html {
  return html`<nav class="contents above" aria-label="${t('On this page')}">
<details>
<summary>${t('On this page')}</summary>
${list(contents)}
</details>
</nav>`
}

function list({ entries, left }: Contents): Html {
  const items = entries.map(
    ({ href, text, level }) => html`<li class="level-${level}"><a href="${href}">${text}</a></li>\n`,
  )
  return html`<ol>
${items}</ol>
${left > 0 && html`<p class="quiet">${t('{count, number} more headings are not listed.', { count: left })}</p>`}`
}
