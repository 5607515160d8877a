import { completionStatus } from '@codemirror/autocomplete'
import { EditorView, type KeyBinding } from '@codemirror/view'
import { deleteRow, fillCells, insertRow, moveCell, type TableEdit } from '@recto/lib/tables/table-edits.ts'
import { cellText, parseTable } from '@recto/lib/tables/table-source.ts'
import { editTable, tableAt } from './table-at.ts'

const run = (edit: TableEdit) => (view: EditorView) =>
  completionStatus(view.state) !== 'active' && editTable(view, edit)

/** Within a table Tab goes to the next cell, and Enter begins a row. */
export const tableKeys: readonly KeyBinding[] = [
  { key: 'Tab', run: run(moveCell(1)), shift: run(moveCell(-1)) },
  {
    key: 'Enter',
    run: (view) => completionStatus(view.state) !== 'active' && (leaveTable(view) || run(newRow)(view)),
  },
]

const newRow: TableEdit = (table, { row }) => insertRow(1)(table, { row, column: 0 })

/**
 * Enter in an empty last row deletes it and continues below the table. At the start and the end of a table it is a line
 * break.
 */
function leaveTable(view: EditorView): boolean {
  const table = tableAt(view.state)
  if (!table) return false
  const { rows } = parseTable(table.source)
  const { row } = table.at
  if (row === 0 || row < rows.length - 1 || rows[row]?.some((cell) => cell !== '')) return false
  editTable(view, deleteRow)
  const leftTable = tableAt(view.state)
  if (!leftTable) return true
  // A line that follows at once would belong to the table.
  view.dispatch({
    changes: { from: leftTable.to, insert: '\n\n' },
    selection: { anchor: leftTable.to + 2 },
    scrollIntoView: true,
    userEvent: 'input',
  })
  return true
}

/** Pastes cells into the cells of a table, and text of several lines into one cell. */
export const pasteCells = EditorView.domEventHandlers({
  paste(event, view) {
    const text = event.clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n').replace(/\n$/, '') ?? ''
    const isTable = text.includes('\t') || /<table[\s>]/i.test(event.clipboardData?.getData('text/html') ?? '')
    if (!tableAt(view.state) || !(isTable || text.includes('\n'))) return false
    event.preventDefault()
    if (!isTable) {
      view.dispatch(view.state.replaceSelection(cellText(text)), { userEvent: 'input.paste' })
      return true
    }
    return editTable(view, fillCells(text.split('\n').map((line) => line.split('\t').map(cellText))))
  },
})
