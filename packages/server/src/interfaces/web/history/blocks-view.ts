import type { BlockChange, BlockDiff } from '@recto/markdown/diff/block-diff.ts'
import { type Html, html, t, trusted } from '../html.ts'

/** A rendered diff, block by block; the blocks contain sanitised HTML. */
export function blocksView({ changes, truncated }: BlockDiff): Html {
  if (changes.every(({ kind }) => kind === 'same' || kind === 'skipped'))
    return html`<p class="empty">${t('Both versions look the same.')}</p>`
  return html`<div class="blocks">
${changes.map(shown)}
</div>
${
  truncated &&
  html`<p class="notice warning">${t('Too many changes to show. Open each version to read it in full.')}</p>`
}`
}

function shown(change: BlockChange): Html {
  switch (change.kind) {
    case 'skipped':
      return html`<p class="skipped">
${t('{count, plural, one {# block is} other {# blocks are}} the same', { count: change.count })}</p>\n`
    case 'same':
      return html`<div class="block prose">${trusted(change.html)}</div>\n`
    case 'changed':
      return html`<div class="pair">${block('removed', change.before)}${block('added', change.after)}</div>\n`
    default:
      return html`<div class="pair">${block(change.kind, change.html)}</div>\n`
  }
}

function block(kind: 'added' | 'removed', content: string): Html {
  const what = kind === 'added' ? t('Added') : t('Removed')
  return html`<div class="block prose ${kind}"><span class="sign">${what}</span>${trusted(content)}</div>`
}
