/** HTML that is safe to send. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[]

/** HTML from a template literal: values are escaped, unless they are `Html`; lists are joined, undefined and false are empty. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) text += textOf(value) + (strings[index + 1] ?? '')
  return new Html(text)
}

/** A message in which backticks mark code. */
export function sentence(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`${parts}`
}

/** Marks text as HTML: only for output of the sanitiser or of this service. */
export function trusted(text: string): Html {
  return new Html(text)
}

/** Escapes the five special characters of HTML, for elements and quoted attributes. */
function escapeHtml(text: string): string {
  // Most texts have none; and five passes are faster than one with a callback.
  if (!/[&<>"']/.test(text)) return text
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

function textOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return value ? value.map(textOf).join('') : ''
}
