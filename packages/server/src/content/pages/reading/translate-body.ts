import { escapeHtml } from '@recto/lib/text/escape-html.ts'
import { currentLanguage, formatTranslation, msg, SOURCE_LANGUAGE } from '../../../platform/language/t.ts'

/** The English texts that the renderer puts into bodies, after the HTML that tells them from what people wrote. */
const RENDERED_TEXT =
  /((?:class="(?:anchor|footnote-backref|footnotes|table)"|href="#user-content-fn:\d+"(?: id="[^"]*")?|<input type="checkbox"(?: checked)? disabled)(?: role="[\w-]+")? aria-label="|<p class="alert-title"><bdi>|<(?:a|span) class="external-image"[^<>]*>)([^"<]+)/g

const TEXTS: readonly string[] = [
  msg('Note'),
  msg('Tip'),
  msg('Important'),
  msg('Warning'),
  msg('Caution'),
  msg('Table'),
  msg('Footnotes'),
  msg('Done'),
  msg('Not done'),
  msg('Link to this section'),
]
/** With a value at the end. */
const TEXTS_WITH_VALUES: readonly string[] = [
  msg('Link to {value}'),
  msg('Footnote {value}'),
  msg('Back to reference {value}'),
  msg('Image from {value}'),
]

/** A rendered body in the language of the person: bodies are cached in English, for readers of all languages. */
export function translateBody(html: string): string {
  if (currentLanguage() === SOURCE_LANGUAGE) return html
  return html.replace(RENDERED_TEXT, (_, before: string, text: string) => before + translateText(text))
}

/** The text is HTML, and so are the values in it. */
function translateText(text: string): string {
  if (TEXTS.includes(text)) return format(text, {})
  for (const message of TEXTS_WITH_VALUES) {
    const start = message.slice(0, message.indexOf('{'))
    if (text.startsWith(start)) return format(message, { value: { html: text.slice(start.length) } })
  }
  const [, alt, host] = /^(.*) \(image from ([^()]*)\)$/s.exec(text) ?? []
  if (alt === undefined || host === undefined) return text
  return format(msg('{alt} (image from {host})'), { alt: { html: alt }, host: { html: host } })
}

function format(message: string, values: Readonly<Record<string, { readonly html: string }>>): string {
  return formatTranslation(message, values)
    .map((part) => (typeof part === 'string' ? escapeHtml(part) : part.html))
    .join('')
}
