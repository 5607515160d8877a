/** A piece of HTML that is safe to be sent. */
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

/** HTML from a template: what is put in is escaped, unless it is HTML itself; lists are joined, what is absent is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) text += textOf(value) + (strings[index + 1] ?? '')
  return new Html(text)
}

/** A sentence of ours in which backticks mark code. */
export function sentence(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`${parts}`
}

/** Text that is HTML already: only for what the sanitiser or this service itself made. */
export function trusted(text: string): Html {
  return new Html(text)
}

/** The text with the five characters escaped that mean something in HTML, in elements and in quoted attributes. */
function escapeHtml(text: string): string {
  // Most texts have none of them; and five passes are faster than one that calls back for each.
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
