import { escapeHtml } from '@recto/lib/text/escape-html.ts'
import { isRightToLeft } from '@recto/lib/text/right-to-left.ts'

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

/**
 * HTML from a template literal: values are escaped, unless they are `Html`; lists are joined, undefined and false are
 * empty. Values with right-to-left characters are isolated from the text around them, as Project Fluent does with its
 * placeables.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) {
    const isolated = typeof value === 'string' && isRightToLeft(value) && endsInText(text)
    text += isolated ? `<bdi>${escapeHtml(value)}</bdi>` : toText(value)
    text += strings[index + 1] ?? ''
  }
  return new Html(text)
}

/** A part of a message for screen readers. */
export function hiddenText(text: HtmlValue): Html {
  return html`<span class="visually-hidden">${text}</span>`
}

/** A message in which backticks mark code. */
export function sentence(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`${parts}`
}

/** Marks text as HTML: only for output of the sanitiser or of this service. */
export function trusted(text: string): Html {
  return new Html(text)
}

/** Elements whose content is text without elements. */
const TEXT_ONLY = /^<(?:title|textarea|option|text|script|style)\b/

/** Whether what follows this beginning of HTML may be an element: not in a tag, nor in an attribute. */
function endsInText(text: string): boolean {
  const open = text.lastIndexOf('<')
  const close = text.lastIndexOf('>')
  if (close === -1) return open === -1 && !/="[^"]*$/.test(text)
  return open < close && !TEXT_ONLY.test(text.slice(open, close))
}

function toText(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return value ? value.map(toText).join('') : ''
}
