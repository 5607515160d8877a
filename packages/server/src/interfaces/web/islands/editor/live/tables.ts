import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, Prec, StateField, type Transaction } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, type KeyBinding, keymap } from '@codemirror/view'
import { frontMatterEnd } from './front-matter.ts'
import { isRevealChanged, isRevealed } from './reveal.ts'
import { TableWidget } from './table-widget.ts'

/** The lines of a table. */
interface Table {
  readonly from: number
  readonly to: number
  readonly widget: TableWidget
}

interface Tables {
  readonly all: readonly Table[]
  /** Those that are shown as tables. */
  readonly shown: readonly Table[]
  readonly decorations: DecorationSet
}

/** A field, because decorations of whole lines must be known before the visible part is. */
const field = StateField.define<Tables>({
  create: (state) => showTables(state, findTables(state, new Map())),
  update(before, transaction) {
    const { state, startState, docChanged } = transaction
    if (!docChanged && !isRevealChanged(transaction)) return before
    const isSame = !docChanged && syntaxTree(startState) === syntaxTree(state)
    const all = isSame ? before.all : findTables(state, unchangedTables(before, transaction))
    return showTables(state, all, before)
  },
  provide: (self) => EditorView.decorations.from(self, ({ decorations }) => decorations),
})

/** The tables that a transaction does not touch, by their start after it. */
function unchangedTables({ all }: Tables, { changes }: Transaction): ReadonlyMap<number, Table> {
  const keptTables = all.filter(({ from, to }) => !changes.touchesRange(from, to))
  return new Map(keptTables.map((table) => [changes.mapPos(table.from, 1), table]))
}

/** The tables of the page itself, with their widgets if they are known; those in quotations and lists stay source. */
function findTables(state: EditorState, knownTables: ReadonlyMap<number, Table>): Table[] {
  const tables: Table[] = []
  const start = frontMatterEnd(state.doc)
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name !== 'Table' || node.from < start) continue
    const [from, to] = [state.doc.lineAt(node.from).from, state.doc.lineAt(node.to).to]
    const old = knownTables.get(from)
    const isKnown = old !== undefined && old.to - old.from === to - from
    tables.push({ from, to, widget: isKnown ? old.widget : new TableWidget(state.sliceDoc(from, to)) })
  }
  return tables
}

function showTables(state: EditorState, all: readonly Table[], before?: Tables): Tables {
  const shownTables = all.filter(({ from, to }) => !isRevealed(state, from, to))
  if (
    before?.all === all &&
    before.shown.length === shownTables.length &&
    before.shown.every((table, index) => table === shownTables[index])
  )
    return before
  const decorations = shownTables.map(({ from, to, widget }) =>
    Decoration.replace({ widget, block: true }).range(from, to),
  )
  return { all, shown: shownTables, decorations: Decoration.set(decorations) }
}

/** Arrow keys pass over what is shown as a block; here they enter it. */
function enter(isForward: boolean): (view: EditorView) => boolean {
  return (view) => {
    const { main } = view.state.selection
    const { head } = view.moveVertically(main, isForward)
    const [low, high] = isForward ? [main.head, head] : [head, main.head]
    const passedTables = view.state.field(field).shown.filter(({ from, to }) => low <= from && to <= high)
    const table = isForward ? passedTables[0] : passedTables.at(-1)
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
