import { EditorView } from '@codemirror/view'
import { urlTarget } from '@recto/lib/attachment.ts'
import { ownAddress } from './clipboard-html.ts'

const URL_ALONE = /^https?:\/\/[^\s<>]+$/

/** Pasting a URL over a selection links it; URLs of this service lose their origin. */
export const pasteLinks = EditorView.domEventHandlers({
  paste(event, view) {
    const pastedText = event.clipboardData?.getData('text/plain').trim() ?? ''
    const { from, to, empty } = view.state.selection.main
    const selectedText = view.state.sliceDoc(from, to)
    if (empty || !URL_ALONE.test(pastedText) || URL_ALONE.test(selectedText) || selectedText.includes('\n'))
      return false
    event.preventDefault()
    const insert = `[${selectedText}](${urlTarget(ownAddress(pastedText))})`
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: 'input.paste',
    })
    return true
  },
})
