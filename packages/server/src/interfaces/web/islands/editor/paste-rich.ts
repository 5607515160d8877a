import type { EditorState } from '@codemirror/state'
import { type EditorView, EditorView as View } from '@codemirror/view'
import { markdownTable, spreadsheetCells } from '@recto/lib/tables/markdown-table.ts'
import { isInCode } from './in-code.ts'
import { BLOCK, insertAt, markPlace, newPlaceId } from './insert-places.ts'

/** What Markdown can express. */
const MARKUP =
  'h1, h2, h3, h4, h5, h6, a[href], strong, b:not([data-style*="normal"]), em, i, ul, ol, table, pre, blockquote, del, s, [data-style*="font-weight:700"], [data-style*="font-weight: 700"]'

/** Pastes rich text and parts of spreadsheets as Markdown; Ctrl Shift V pastes the text alone. */
export const pasteRich = View.domEventHandlers({
  paste(event, view) {
    const { clipboardData } = event
    // Editors of code have colours, which are no markup.
    if (!clipboardData || clipboardData.types.includes('vscode-editor-data')) return false
    if (isInCode(view.state, view.state.selection.main.head)) return false
    const document = parsed(clipboardData.getData('text/html'))
    if (document && isRich(document)) {
      event.preventDefault()
      void insertRich(view, document, clipboardData.getData('text/plain'))
      return true
    }
    const cells = spreadsheetCells(clipboardData.getData('text/plain'))
    if (!cells) return false
    event.preventDefault()
    insertBlock(view, `${markdownTable(cells)}\n`)
    return true
  },
})

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

/** What is typed while the library is loaded goes after the pasted text. */
async function insertRich(view: EditorView, document: Document, text: string): Promise<void> {
  view.dispatch(view.state.replaceSelection(''))
  const id = newPlaceId()
  const gap = gapBefore(view.state)
  markPlace(view, { id, at: view.state.selection.main.from, isBefore: true })
  const markdown = await toMarkdown(document).catch(() => text)
  insertAt(view, id, BLOCK.test(markdown) ? gap + markdown : markdown)
}

/** The empty line that separates a block from the text before the caret. */
function gapBefore({ doc, selection }: EditorState): string {
  const { from } = selection.main
  const before = doc.sliceString(doc.lineAt(from).from, from)
  return before.trim() === '' ? '' : '\n\n'
}

/** Rejects if the library cannot be loaded. */
async function toMarkdown(document: Document): Promise<string> {
  const { htmlToMarkdown } = await import('./html-to-markdown.ts')
  return htmlToMarkdown(document)
}

function insertBlock(view: EditorView, block: string): void {
  const text = gapBefore(view.state) + block
  view.dispatch(view.state.replaceSelection(text), { userEvent: 'input.paste', scrollIntoView: true })
}
