import type { EditorView } from '@codemirror/view'
import {
  alignColumn,
  deleteColumn,
  deleteRow,
  insertColumn,
  insertRow,
  type TableEdit,
} from '@recto/lib/tables/table-edits.ts'
import { button, element, filled } from '../../parts/dom.ts'
import { editTable, tableAt } from './table-at.ts'

const EDITS: readonly (readonly [name: string, edit: TableEdit])[] = [
  ['Insert row above', insertRow(0)],
  ['Insert row below', insertRow(1)],
  ['Insert column before', insertColumn(0)],
  ['Insert column after', insertColumn(1)],
  ['Delete row', deleteRow],
  ['Delete column', deleteColumn],
  ['Align left', alignColumn('left')],
  ['Align center', alignColumn('center')],
  ['Align right', alignColumn('right')],
]
const EMPTY = ['| Column 1 | Column 2 |', '| -------- | -------- |', '|          |          |'].join('\n')

/** The menu of the table at the caret. Elsewhere it inserts a table. */
export function tableMenu(view: EditorView): HTMLElement {
  const item = (name: string, act: () => void) => {
    const control = button(name, '', () => {
      menu.open = false
      act()
      view.focus()
    })
    return element('li', {}, control)
  }
  const edits = EDITS.map(([name, edit]) => item(name, () => editTable(view, edit)))
  const insert = item('Insert table', () => insertTable(view))
  const menu = element(
    'details',
    { class: 'menu' },
    element('summary', { class: 'button plain small', title: 'Rows and columns of the table at the caret' }, 'Table'),
    filled(element('ul', { class: 'items' }), [insert, ...edits]),
  )
  menu.addEventListener('toggle', () => {
    const table = tableAt(view.state)
    insert.hidden = table !== undefined
    for (const each of edits) each.hidden = table === undefined
    const remove = edits[EDITS.findIndex(([, edit]) => edit === deleteRow)]
    // The head cannot be deleted.
    if (remove && table?.at.row === 0) remove.hidden = true
  })
  return menu
}

/** Below the present block, with its first cell selected. */
function insertTable(view: EditorView): void {
  const { state } = view
  const line = state.doc.lineAt(state.selection.main.head)
  const before = line.text.trim() === '' ? '' : '\n\n'
  const from = line.to + before.length + '| '.length
  view.dispatch({
    changes: { from: line.to, insert: `${before}${EMPTY}\n` },
    selection: { anchor: from, head: from + 'Column 1'.length },
    scrollIntoView: true,
    userEvent: 'input',
  })
}
