/** What Markdown can express. */
const MARKUP =
  'h1, h2, h3, h4, h5, h6, a[href], strong, b:not([data-style*="normal"]), em, i, ul, ol, table, pre, blockquote, del, s, [data-style*="font-weight:700"], [data-style*="font-weight: 700"]'

/** The rich text of a clipboard; undefined if it has none that Markdown can express. Colours of code are no markup. */
export function readRichText(clipboardData: DataTransfer): Document | undefined {
  if (clipboardData.types.includes('vscode-editor-data')) return undefined
  const document = parsed(clipboardData.getData('text/html'))
  return document && isRich(document) ? document : undefined
}

/** What is no text: Word hides rules for itself in comments, and spreadsheets begin with a style sheet. */
const COMMENT = /<!--.*?(?:-->|$)/gs
const STYLE_SHEET = /<style\b.*?(?:<\/style>|$)/gis
const TAG = /<[a-z](?:"[^"]*"|'[^']*'|[^<>"'])*>/gi
const STYLE_ATTRIBUTE = /"[^"]*"|'[^']*'|(?<![\w-])style(?=\s*=)/gi

/**
 * The document of the clipboard, which loads and runs nothing. The policy of this page forbids styles, also in
 * documents that are not shown: style sheets are removed, and style attributes are attributes of data.
 */
function parsed(html: string): Document | undefined {
  if (html === '') return undefined
  const plain = html
    .replace(COMMENT, '')
    .replace(STYLE_SHEET, '')
    .replace(TAG, (tag) => tag.replace(STYLE_ATTRIBUTE, (part) => (/^["']/.test(part) ? part : 'data-style')))
  return new DOMParser().parseFromString(plain, 'text/html')
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
