import { syntaxTree } from '@codemirror/language'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { CellPlace, TableEdit } from '@recto/lib/tables/table-edits.ts'
import { formatTable, parseTable, splitCells } from '@recto/lib/tables/table-source.ts'

/** The table at the caret. Tables in quotations and lists, whose lines begin with other marks, are edited as text. */
export function tableAt(state: EditorState) {
  const { main } = state.selection
  const { head } = main
  for (const side of [-1, 1] as const) {
    for (let node = syntaxTree(state).resolveInner(head, side); node.parent; node = node.parent) {
      if (node.name !== 'Table' || node.parent.parent) continue
      const from = state.doc.lineAt(node.from).from
      const to = state.doc.lineAt(node.to).to
      // Enter before the first pipe moves the table down, and Tab indents lines that are selected together with others.
      if (main.from < from || main.to > to || (main.empty && head === from)) continue
      const source = state.sliceDoc(from, to)
      return { from, to, source, at: placeIn(source, head - from) }
    }
  }
  return undefined
}

/** The line of delimiters belongs to the head. */
function placeIn(source: string, offset: number): CellPlace {
  const before = source.slice(0, offset).split('\n')
  const line = source.split('\n')[before.length - 1] ?? ''
  const inLine = before.at(-1)?.length ?? 0
  const column = splitCells(line).findLastIndex(({ from }) => from <= inLine)
  const width = parseTable(source).alignments.length
  return { row: Math.max(0, before.length - 2), column: Math.min(Math.max(0, column), width - 1) }
}

/** Changes the table at the caret, aligns its source and selects a cell. Returns false outside of tables. */
export function editTable(view: EditorView, edit: TableEdit): boolean {
  const { state } = view
  const table = tableAt(state)
  if (!table) return false
  const { from, to, source } = table
  const editedTable = edit(parseTable(source), table.at)
  if (!editedTable) return true
  const text = editedTable.alignments.length === 0 ? '' : formatTable(editedTable)
  const selectedSpec: TransactionSpec = {
    selection: findRange(text, editedTable.at, from),
    scrollIntoView: true,
  }
  const changes = text === source ? {} : { changes: { from, to, insert: text }, userEvent: 'input' }
  view.dispatch({ ...selectedSpec, ...changes })
  return true
}

function findRange(text: string, { row, column }: CellPlace, start: number) {
  const lines = text.split('\n')
  const index = row === 0 ? 0 : row + 1
  const cell = splitCells(lines[index] ?? '')[column] ?? { from: 0, to: 0 }
  const from = lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, start)
  return { anchor: from + cell.from, head: from + cell.to }
}
