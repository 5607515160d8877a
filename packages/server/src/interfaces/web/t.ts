import { byteSize } from '@recto/lib/text/byte-size.ts'
import { isRightToLeft } from '@recto/lib/text/right-to-left.ts'
import { currentLanguage, formatTranslation, t as toText } from '../../platform/language/t.ts'
import { type Html, type HtmlValue, html } from './html.ts'

export { currentLanguage, isWrittenFromRight, msg } from '../../platform/language/t.ts'

/** What fills the arguments and elements of a message on a screen. */
type Values = Readonly<Record<string, HtmlValue | ((content: Html) => Html)>>

/**
 * A message in the language of the person: text, or HTML where a value is. Functions make elements of a part of the
 * message: `t('<link>Sign in</link>.', { link: (text) => html`<a href="${SIGN_IN}">${text}</a>` })`.
 */
export function t(message: string, values?: Readonly<Record<string, string | number>>): string
export function t(message: string, values: Values): Html
export function t(message: string, values: Values = {}): string | Html {
  if (isPlain(values)) return toText(message, values)
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
  const names = html`${shownParts.map(({ type, value }) => (type === 'element' ? html`${items[Number(value)]}` : value))}`
  return more > 0 ? t('{names} and {more, number} more', { names, more }) : names
}

/** The text of a table of messages by its name in a URL; undefined for other names. */
export function findText(texts: Readonly<Record<string, string>>, name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(texts, name) ? t(texts[name] ?? '') : undefined
}

function isPlain(values: Values): values is Readonly<Record<string, string | number>> {
  return Object.values(values).every((value) => typeof value === 'string' || typeof value === 'number')
}
