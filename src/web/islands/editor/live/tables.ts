import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, Prec, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, type KeyBinding, keymap } from '@codemirror/view'
import { frontMatterEnd } from './front-matter.ts'
import { isRevealChanged, isRevealed } from './reveal.ts'
import { TableWidget } from './table-widget.ts'

/** The lines of a table. */
interface Table {
  readonly from: number
  readonly to: number
}

interface Tables {
  readonly all: readonly Table[]
  /** Those that are shown as tables. */
  readonly shown: readonly Table[]
  readonly decorations: DecorationSet
}

/** A field, because decorations of whole lines must be known before the visible part is. */
const field = StateField.define<Tables>({
  create: (state) => showTables(state, tablesOf(state)),
  update(before, transaction) {
    const { state, startState, docChanged } = transaction
    if (!docChanged && !isRevealChanged(transaction)) return before
    const isSame = !docChanged && syntaxTree(startState) === syntaxTree(state)
    return showTables(state, isSame ? before.all : tablesOf(state), before)
  },
  provide: (self) => EditorView.decorations.from(self, ({ decorations }) => decorations),
})

/** The tables of the page itself; those in quotations and lists stay source. */
function tablesOf(state: EditorState): Table[] {
  const tables: Table[] = []
  const start = frontMatterEnd(state.doc)
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name !== 'Table' || node.from < start) continue
    tables.push({ from: state.doc.lineAt(node.from).from, to: state.doc.lineAt(node.to).to })
  }
  return tables
}

function showTables(state: EditorState, all: readonly Table[], before?: Tables): Tables {
  const shown = all.filter(({ from, to }) => !isRevealed(state, from, to))
  if (
    before?.all === all &&
    before.shown.length === shown.length &&
    before.shown.every((table, index) => table === shown[index])
  )
    return before
  const decorations = shown.map(({ from, to }) =>
    Decoration.replace({ widget: new TableWidget(state.sliceDoc(from, to)), block: true }).range(from, to),
  )
  return { all, shown, decorations: Decoration.set(decorations) }
}

/** Arrow keys pass over what is shown as a block; here they enter it. */
function enter(isForward: boolean): (view: EditorView) => boolean {
  return (view) => {
    const { main } = view.state.selection
    const { head } = view.moveVertically(main, isForward)
    const [low, high] = isForward ? [main.head, head] : [head, main.head]
    const passed = view.state.field(field).shown.filter(({ from, to }) => low <= from && to <= high)
    const table = isForward ? passed[0] : passed.at(-1)
    if (!table || !main.empty) return false
    const anchor = isForward ? table.from : view.state.doc.lineAt(table.to).from
    view.dispatch({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' })
    return true
  }
}

const KEYS: readonly KeyBinding[] = [
  { key: 'ArrowDown', run: enter(true) },
  { key: 'ArrowUp', run: enter(false) },
]

/** Shows tables as tables, but the one at the caret. */
export const tables: Extension = [field, Prec.high(keymap.of(KEYS))]
