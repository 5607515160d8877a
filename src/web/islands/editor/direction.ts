import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

const line = Decoration.line({ attributes: { dir: 'auto' } })

/** The first strong character of each line decides its direction: the bidi example of CodeMirror's documentation. */
export const direction: Extension = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = visibleLines(view)
      }
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.decorations = visibleLines(update.view)
      }
    },
    { decorations: ({ decorations }) => decorations },
  ),
]

function visibleLines({ state, visibleRanges }: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>()
  let after = -1
  for (const { from, to } of visibleRanges) {
    for (let at = Math.max(from, after + 1); at <= to; at = after + 1) {
      const found = state.doc.lineAt(at)
      lines.add(found.from, found.from, line)
      after = found.to
    }
  }
  return lines.finish()
}
