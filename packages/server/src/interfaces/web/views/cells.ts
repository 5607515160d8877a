import { type Html, html, t, trusted } from '../html.ts'

const MAX_SHOWN = 300

/** A value of metadata as people read it; `undefined` is absent. */
export function valueView(value: unknown): Html {
  if (value === undefined) return html`<span class="quiet" role="img" aria-label="${t('none')}">–</span>`
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return html`<span class="number-value">${String(value)}</span>`
  if (typeof value === 'boolean') return html`<span class="badge ${value ? 'success' : ''}">${String(value)}</span>`
  if (Array.isArray(value) && value.length === 0) return html`<span class="quiet">${t('empty list')}</span>`
  if (Array.isArray(value) && value.length <= 20 && value.every(isScalar))
    return html`<span class="tags">${value.map(
      (element) =>
        html`<span class="badge">${cut(typeof element === 'string' ? element : JSON.stringify(element))}</span> `,
    )}</span>`
  return html`<code class="json">${cut(JSON.stringify(value))}</code>`
}

function text(value: string): Html {
  // Only http and https: other schemes may execute code.
  if (/^https?:\/\/[^\s<>"]+$/i.test(value) && URL.canParse(value))
    return html`<a href="${value}"${trusted(' rel="nofollow noopener noreferrer"')}>${cut(value)}</a>`
  return value === '' ? html`<span class="quiet">${t('empty text')}</span>` : html`${cut(value)}`
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}

function cut(value: string): string {
  return value.length <= MAX_SHOWN ? value : `${value.slice(0, MAX_SHOWN).toWellFormed()}…`
}
