import type { Command } from 'prosemirror-state'
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  deleteTable,
  isInTable,
  selectedRect,
} from 'prosemirror-tables'
import type { EditorView } from 'prosemirror-view'
import { msg } from '../../parts/t.ts'
import { schema } from '../document/schema.ts'
import { insertBlock } from './formats.ts'
import { commandMenu } from './menu.ts'

const { nodes } = schema

/** The head of a table is its first row, above which there is none. */
const belowHead =
  (command: Command): Command =>
  (state, dispatch) =>
    isInTable(state) && selectedRect(state).top > 0 && command(state, dispatch)

/** Aligns the columns of the selection. */
function align(side: string): Command {
  return (state, dispatch) => {
    if (!isInTable(state)) return false
    const { map, tableStart, left, right } = selectedRect(state)
    const { tr } = state
    for (const pos of map.cellsInRect({ left, right, top: 0, bottom: map.height })) {
      tr.setNodeAttribute(tableStart + pos, 'align', side)
    }
    dispatch?.(tr)
    return true
  }
}

/** A table of three columns, with the caret in its first cell. */
export const insertTable: Command = (state, dispatch) => {
  if (isInTable(state)) return false
  const row = (cell: 'table_header' | 'table_cell') =>
    nodes.table_row.create(
      null,
      [0, 1, 2].flatMap(() => nodes[cell].createAndFill() ?? []),
    )
  return insertBlock(nodes.table.create(null, [row('table_header'), row('table_cell'), row('table_cell')]))(
    state,
    dispatch,
  )
}

/** Deleting the only column deletes the table. */
const removeColumn: Command = (state, dispatch) => deleteColumn(state, dispatch) || deleteTable(state, dispatch)

const EDITS: readonly (readonly [name: string, command: Command])[] = [
  [msg('Insert table'), insertTable],
  [msg('Insert row above'), belowHead(addRowBefore)],
  [msg('Insert row below'), addRowAfter],
  [msg('Insert column before'), addColumnBefore],
  [msg('Insert column after'), addColumnAfter],
  [msg('Delete row'), belowHead(deleteRow)],
  [msg('Delete column'), removeColumn],
  [msg('Align left'), align('left')],
  [msg('Align center'), align('center')],
  [msg('Align right'), align('right')],
]

/** The menu of the table at the caret. Elsewhere it inserts a table. */
export function tableMenu(view: EditorView): HTMLElement {
  return commandMenu(view, {
    name: msg('Table'),
    icon: 'table',
    title: msg('Rows and columns of the table at the caret'),
    items: EDITS,
  })
}
