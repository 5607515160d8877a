import type { EditorState } from '@codemirror/state'
import { type EditorView, EditorView as View } from '@codemirror/view'
import { markdownTable, spreadsheetCells } from '@recto/lib/tables/markdown-table.ts'
import { readRichText, toMarkdown } from './clipboard-html.ts'
import { isInCode } from './in-code.ts'
import { BLOCK, insertAt, markPlace, newPlaceId } from './insert-places.ts'

/** Pastes rich text and parts of spreadsheets as Markdown; Ctrl Shift V pastes the text alone. */
export const pasteRich = View.domEventHandlers({
  paste(event, view) {
    const { clipboardData } = event
    if (!clipboardData || isInCode(view.state, view.state.selection.main.head)) return false
    const document = readRichText(clipboardData)
    if (document) {
      event.preventDefault()
      void insertRich(view, document, clipboardData.getData('text/plain'))
      return true
    }
    if (clipboardData.types.includes('vscode-editor-data')) return false
    const cells = spreadsheetCells(clipboardData.getData('text/plain'))
    if (!cells) return false
    event.preventDefault()
    insertBlock(view, `${markdownTable(cells)}\n`)
    return true
  },
})

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

function insertBlock(view: EditorView, block: string): void {
  const text = gapBefore(view.state) + block
  view.dispatch(view.state.replaceSelection(text), { userEvent: 'input.paste', scrollIntoView: true })
}
