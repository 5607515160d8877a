import { escapeHtml } from '@recto/lib/text/escape-html.ts'
import { currentLanguage, isWrittenFromRight } from '../../platform/language/t.ts'

const STYLE = `body{margin:0;padding:1.5rem;font:16px/1.5 system-ui,sans-serif;color-scheme:light dark}
main{max-width:36rem;margin:0 auto}a{overflow-wrap:anywhere}`

/** The HTML of a mail in the language of its recipient: the paragraphs of its text, with its URLs as links. */
export function mailHtml(text: string): string {
  const paragraphs = text.trim().split(/\n{2,}/)
  return `<!doctype html>
<html lang="${currentLanguage()}"${isWrittenFromRight() ? ' dir="rtl"' : ''}>
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>${STYLE}</style></head>
<body><main>
${paragraphs.map((paragraph) => `<p>${paragraph.split('\n').map(toLine).join('<br>\n')}</p>`).join('\n')}
</main></body></html>
`
}

function toLine(line: string): string {
  return escapeHtml(line).replace(/\bhttps?:\/\/[^\s<>"]+/g, (url) => `<a href="${url}">${url}</a>`)
}
