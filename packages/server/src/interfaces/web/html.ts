import { byteSize } from '@recto/lib/text/byte-size.ts'
import { escapeHtml } from '@recto/lib/text/escape-html.ts'
import { isRightToLeft } from '@recto/lib/text/right-to-left.ts'
import { currentLanguage, formatTranslation, t as translate } from '../../platform/language/t.ts'

export { currentLanguage, isWrittenFromRight, msg } from '../../platform/language/t.ts'

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

/** What fills the arguments and elements of a message on a screen. */
type Values = Readonly<Record<string, HtmlValue | ((content: Html) => Html)>>

/**
 * A message in the language of the person: text, or HTML where a value is. Functions make elements of a part of the
 * message: `t('<link>Sign in</link>.', { link: (text) => html`<a href="${SIGN_IN}">${text}</a>` })`.
 */
export function t(message: string, values?: Readonly<Record<string, string | number>>): string
export function t(message: string, values: Values): Html
export function t(message: string, values: Values = {}): string | Html {
  if (isPlain(values)) return translate(message, values)
  const entries = Object.entries(values).map(([name, value]) => {
    // `html` isolates what is written from right to left.
    if (typeof value === 'number' || (typeof value === 'string' && !isRightToLeft(value))) return [name, value] as const
    if (typeof value !== 'function') return [name, html`${value}`] as const
    return [name, (content: readonly (string | Html)[]) => value(html`${content}`)] as const
  })
  return html`${formatTranslation<Html>(message, Object.fromEntries(entries))}`
}

/** A number of bytes in the language of the person: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  return byteSize(bytes, currentLanguage())
}

/** Items as the language of the person lists them: `a, b, c`; `more` are counted without their names. */
export function joinList(items: readonly HtmlValue[], more = 0): Html {
  const places = [...items.keys(), ...(more > 0 ? ['', ''] : [])].map(String)
  const parts = new Intl.ListFormat(currentLanguage(), { type: 'unit' }).formatToParts(places)
  const shownParts = more > 0 ? parts.slice(0, items.length * 2 - 1) : parts
  const names = html`${shownParts.map(({ type, value }) =>
    type === 'element' ? html`${items[Number(value)]}` : value,
  )}`
  return more > 0 ? t('{names} and {more, number} more', { names, more }) : names
}

/** The text of a table of messages by its name in a URL; undefined for other names. */
export function findText(texts: Readonly<Record<string, string>>, name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(texts, name) ? t(texts[name] ?? '') : undefined
}

function isPlain(values: Values): values is Readonly<Record<string, string | number>> {
  return Object.values(values).every((value) => typeof value === 'string' || typeof value === 'number')
}
