import { type EditorState, type Extension, type Line, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, Direction, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

const line = Decoration.line({ attributes: { dir: 'auto' } })
const rightToLeft = Decoration.line({ attributes: { dir: 'rtl' } })
/** Brackets and the exclamation mark would change sides. */
const marker = Decoration.mark({ attributes: { dir: 'ltr' }, bidiIsolate: Direction.LTR })
const ALERT = /^\s*>\s*\[!\w+\]\s*$/
/** Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

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
    {
      decorations: ({ decorations }) => decorations,
      provide: (plugin) =>
        EditorView.bidiIsolatedRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
    },
  ),
]

function visibleLines({ state, visibleRanges }: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>()
  let after = -1
  for (const { from, to } of visibleRanges) {
    for (let at = Math.max(from, after + 1); at <= to; at = after + 1) {
      const visibleLine = state.doc.lineAt(at)
      const isAlert = isAlertInRightToLeft(state, visibleLine)
      lines.add(visibleLine.from, visibleLine.from, isAlert ? rightToLeft : line)
      if (isAlert)
        lines.add(
          visibleLine.from + visibleLine.text.indexOf('['),
          visibleLine.from + visibleLine.text.trimEnd().length,
          marker,
        )
      after = visibleLine.to
    }
  }
  return lines.finish()
}

/** The marker of an alert, such as `> [!NOTE]`, has the direction of the text below it. */
function isAlertInRightToLeft({ doc }: EditorState, { number, text }: Line): boolean {
  if (!ALERT.test(text) || number === doc.lines) return false
  const [letter = ''] = /\p{L}/u.exec(doc.line(number + 1).text) ?? []
  return RIGHT_TO_LEFT.test(letter)
}
