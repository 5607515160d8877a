import { formatTranslation, t as toText } from '../../platform/language/t.ts'
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
    if (typeof value === 'number' || typeof value === 'string') return [name, value] as const
    if (typeof value !== 'function') return [name, html`${value}`] as const
    return [name, (content: readonly (string | Html)[]) => value(html`${content}`)] as const
  })
  return html`${formatTranslation<Html>(message, Object.fromEntries(entries))}`
}

function isPlain(values: Values): values is Readonly<Record<string, string | number>> {
  return Object.values(values).every((value) => typeof value === 'string' || typeof value === 'number')
}
