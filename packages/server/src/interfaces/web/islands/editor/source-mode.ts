import { EditorView } from '@codemirror/view'
import { linkText } from '@recto/lib/attachment.ts'
import { element } from '../parts/dom.ts'
import { msg } from '../parts/t.ts'
import { FORMATS } from './format.ts'
import { forgetPlace, insertFile, insertPlaces, markPlace, newPlaceId, placeOfFiles } from './insert-places.ts'
import { createPreview } from './preview.ts'
import { previewButton } from './preview-button.ts'
import { editorState } from './state.ts'
import type { Surface, SurfaceOptions } from './surface.ts'
import { formatButtons } from './toolbar.ts'

const KEYS = [['{ctrl} F', msg('Find and replace')]] as const

/** The Markdown of the page, in CodeMirror. */
export function openSource(options: SurfaceOptions, panes: HTMLElement): Surface {
  const preview = panes.querySelector<HTMLElement>('.pane.preview')
  if (!preview) throw new Error('The form has no preview')
  const view = new EditorView({ state: editorState(options.text, { ...options, extensions: insertPlaces }) })
  const dom = element('div', { class: 'code-mirror' }, view.dom)
  const renderedPreview = createPreview(view, preview, options.previewUrl)
  const actions = FORMATS.map(({ run, ...format }) => ({ ...format, run: () => run(view) }))
  return {
    dom,
    tools: [...formatButtons(actions), previewButton(panes, preview)],
    keys: KEYS,
    text: () => view.state.doc.toString(),
    replaceText: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    caret: () => view.state.selection.main.head,
    placeCaret(offset) {
      const anchor = Math.min(offset, view.state.doc.length)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
    },
    showCaret: () => view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main) }),
    focus: () => view.focus(),
    hasFocus: () => view.hasFocus,
    reserve(point, isSeparate) {
      const id = newPlaceId()
      const at = (point && view.posAtCoords(point)) ?? view.state.selection.main.head
      const place = placeOfFiles(view.state, at)
      markPlace(view, { id, at: place })
      return {
        insert: (markdown) => insertFile(view, id, markdown, isSeparate || place !== at),
        forget: () => forgetPlace(view, id),
      }
    },
    describe(target, description) {
      const source = view.state.doc.toString()
      const to = source.indexOf(`](${target})`)
      const from = source.lastIndexOf('![', to) + 2
      if (to === -1 || from < 2) return
      view.dispatch({ changes: { from, to, insert: linkText(description) }, userEvent: 'input' })
    },
    retarget(before, after) {
      const source = view.state.doc.toString()
      const changes = []
      for (let at = source.indexOf(`](${before})`); at !== -1; at = source.indexOf(`](${before})`, at + 1)) {
        changes.push({ from: at + 2, to: at + 2 + before.length, insert: after })
      }
      view.dispatch({ changes })
    },
    refresh: renderedPreview.update,
    close() {
      renderedPreview.close()
      preview.hidden = true
      panes.className = 'panes single'
      view.destroy()
      dom.remove()
    },
  }
}
