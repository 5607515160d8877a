import { withoutStyles } from './prepare-html.ts'

/** What Markdown can express. */
const MARKUP =
  'h1, h2, h3, h4, h5, h6, a[href], strong, b:not([data-style^="font-weight:normal"]), em, i, ul, ol, table, pre, ' +
  'code, tt, blockquote, details, del, s, strike, sub, sup, kbd, mark, math, p[data-style*="mso-list"], ' +
  '[data-style*="font-weight:700"], [data-style*="font-weight: 700"]'

/** The rich text of a clipboard; undefined if it has none that Markdown can express. Colours of code are no markup. */
export function readRichText(clipboardData: DataTransfer): Document | undefined {
  if (clipboardData.types.includes('vscode-editor-data')) return undefined
  const document = parsed(clipboardData.getData('text/html'))
  return document && isRich(document) ? document : undefined
}

/** The document of the clipboard, which loads and runs nothing. */
function parsed(html: string): Document | undefined {
  return html === '' ? undefined : new DOMParser().parseFromString(withoutStyles(html), 'text/html')
}

/** A single cell is a text. */
function isRich(document: Document): boolean {
  const isCell = document.querySelectorAll('td, th').length === 1
  return !isCell && document.body.querySelector(MARKUP) !== null
}

/** Rejects if the library cannot be loaded. */
export async function toMarkdown(document: Document): Promise<string> {
  const { htmlToMarkdown } = await import('./html-to-markdown.ts')
  return htmlToMarkdown(document)
}

/** URLs of this service lose their origin. */
export function ownAddress(url: string): string {
  return url.startsWith(`${location.origin}/`) ? url.slice(location.origin.length) : url
}
