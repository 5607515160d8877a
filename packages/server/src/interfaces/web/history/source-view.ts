import type { DiffLine, DiffRow, SourceDiff } from '@recto/markdown/diff/source-diff.ts'
import { type Html, html, t } from '../html.ts'

/** The lines of two texts side by side; on a narrow screen the old line is above the new one. */
export function sourceView(diff: SourceDiff, before: string, after: string): Html {
  if (diff.hunks.length === 0 && diff.unended === undefined)
    return html`<p class="empty">${t('The Markdown of both versions is the same.')}</p>`
  const gap = html`<tr class="gap"><td colspan="4">⋯</td></tr>\n`
  return html`<p><span aria-hidden="true">+${diff.added} −${diff.removed}</span><span class="visually-hidden">${t(
    '{added, plural, one {# line} other {# lines}} added, {removed, plural, one {# line} other {# lines}} removed',
    { added: diff.added, removed: diff.removed },
  )}</span></p>
<table class="source-diff">
<caption class="visually-hidden">${t('Lines that differ, with the lines around them')}</caption>
<colgroup><col class="num"><col><col class="num"><col></colgroup>
<thead class="visually-hidden"><tr><th scope="col">${t('Line')}</th><th scope="col">${before}</th><th scope="col">
${t('Line')}</th><th scope="col">${after}</th></tr></thead>
<tbody>
${diff.hunks.map(({ rows }, index) => html`${index > 0 && gap}${rows.map(row)}`)}
</tbody>
</table>
${
  diff.unended &&
  html`<p class="quiet">
${t('{name} has no line break at its end.', { name: diff.unended === 'before' ? before : after })}</p>`
}
${
  diff.truncated &&
  html`<p class="notice warning">${t('Too many changes to show. Compare the Markdown of both versions.')}</p>`
}`
}

function row({ kind, before, after }: DiffRow): Html {
  return html`<tr class="${kind}">${cells(before, kind, 'before')}${cells(after, kind, 'after')}</tr>\n`
}

function cells(line: DiffLine | undefined, kind: DiffRow['kind'], side: 'before' | 'after'): Html {
  if (!line) return html`<td class="num ${side} none"></td><td class="${side} none"></td>`
  const changed = kind === 'changed'
  const sign = changed && html`<span class="visually-hidden">${side === 'before' ? t('Removed:') : t('Added:')} </span>`
  const pieces = line.pieces.map(({ text, changed: marked }) => {
    if (!marked) return html`${text}`
    // Some lines differ only in an invisible carriage return.
    const visible = text.replaceAll('\r', '␍')
    return side === 'before' ? html`<del>${visible}</del>` : html`<ins>${visible}</ins>`
  })
  return html`<td class="num ${side}">${line.number}</td><td class="text ${side}">${sign}${pieces}</td>`
}
