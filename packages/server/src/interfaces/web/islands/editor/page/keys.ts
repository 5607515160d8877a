import {
  baseKeymap,
  chainCommands,
  exitCode,
  liftEmptyBlock,
  newlineInCode,
  setBlockType,
  splitBlock,
  toggleMark,
} from 'prosemirror-commands'
import { redo, undo } from 'prosemirror-history'
import { undoInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list'
import { type Command, Plugin, Selection } from 'prosemirror-state'
import {
  addRowAfter,
  deleteRow,
  goToNextCell,
  isInTable,
  nextCell,
  selectedRect,
  selectionCell,
} from 'prosemirror-tables'
import { schema } from '../document/schema.ts'
import { copyBlock, moveBlock } from './blocks.ts'
import { BLOCKS, findAround, MARKS } from './formats.ts'

const { nodes } = schema

/** A row below, with the caret in its first cell. */
const beginRow: Command = (state, dispatch) => {
  const { tableStart, bottom } = selectedRect(state)
  return addRowAfter(
    state,
    dispatch &&
      ((tr) => {
        const table = tr.doc.nodeAt(tableStart - 1)
        let at = tableStart
        for (let row = 0; row < bottom; row++) at += table?.child(row).nodeSize ?? 0
        dispatch(tr.setSelection(Selection.near(tr.doc.resolve(at + 2))).scrollIntoView())
      }),
  )
}

/** Enter in a table goes to the next row, or begins one; in an empty last row it leaves the table. */
const enterInTable: Command = (state, dispatch) => {
  if (!isInTable(state)) return false
  const $below = nextCell(selectionCell(state), 'vert', 1)
  if ($below) {
    dispatch?.(state.tr.setSelection(Selection.near(state.doc.resolve($below.pos + 1))).scrollIntoView())
    return true
  }
  const { table, tableStart, bottom } = selectedRect(state)
  const isEmpty = bottom > 1 && table.child(bottom - 1).textContent === ''
  if (!isEmpty) return beginRow(state, dispatch)
  return deleteRow(
    state,
    dispatch &&
      ((tr) => {
        const after = tableStart - 1 + (tr.doc.nodeAt(tableStart - 1)?.nodeSize ?? 0)
        tr.insert(after, nodes.paragraph.create())
        dispatch(tr.setSelection(Selection.near(tr.doc.resolve(after + 1))).scrollIntoView())
      }),
  )
}

const tabInTable =
  (direction: 1 | -1): Command =>
  (state, dispatch) => {
    if (!isInTable(state)) return false
    if (!goToNextCell(direction)(state, dispatch) && direction === 1) beginRow(state, dispatch)
    return true
  }

/** Enter after ``` and perhaps a language begins a block of code. */
const beginCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  const fence = /^```([\w+#.-]*)$/.exec($from.parent.textContent)
  if (!empty || !fence || $from.parent.type !== nodes.paragraph) return false
  const { tr } = state
  tr.delete($from.start(), $from.end()).setBlockType($from.start(), $from.start(), nodes.code_block, { info: fence[1] })
  dispatch?.(tr.scrollIntoView())
  return true
}

/** The item after a task is a task that is not done. */
const splitItem: Command = (state, dispatch) => {
  const item = findAround(state, ({ type }) => type === nodes.list_item)
  const isTask = item !== undefined && item.node.attrs.checked !== null
  return splitListItem(nodes.list_item, isTask ? { checked: false } : undefined)(state, dispatch)
}

/** Ticks the task at the caret, or takes its tick away. */
const tickTask: Command = (state, dispatch) => {
  const item = findAround(state, ({ type }) => type === nodes.list_item)
  if (!item || item.node.attrs.checked === null) return false
  dispatch?.(state.tr.setNodeAttribute(item.pos, 'checked', !item.node.attrs.checked))
  return true
}

const breakLine: Command = (state, dispatch) => {
  const { parent } = state.selection.$from
  if (!parent.inlineContent || parent.type === nodes.heading || parent.type.spec.code) return false
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView())
  return true
}

/** Backspace at the start of a heading or of code makes it a paragraph, and at the start of an item ends the item. */
const plainBackward: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection
  if (!empty || $from.parentOffset > 0 || isInTable(state)) return false
  const isText = $from.parent.type === nodes.paragraph
  if (!isText) return setBlockType(nodes.paragraph)(state, dispatch)
  const isFirst = $from.depth > 1 && $from.index(-1) === 0 && $from.node(-1).type === nodes.list_item
  return isFirst && liftListItem(nodes.list_item)(state, dispatch, view)
}

/** Tab in code is an indentation; in an item that cannot go deeper it does nothing. */
const indent: Command = (state, dispatch) => {
  if (state.selection.$from.parent.type.spec.code) {
    dispatch?.(state.tr.insertText('  ').scrollIntoView())
    return true
  }
  return sinkListItem(nodes.list_item)(state, dispatch) || isInItem(state)
}

/** The down arrow in the last line of code at the end of the page leaves it. */
const leaveCode: Command = (state, dispatch) =>
  state.selection.to === state.doc.content.size - 1 && exitCode(state, dispatch)

const outdent: Command = (state, dispatch) => liftListItem(nodes.list_item)(state, dispatch)

const isInItem: Command = (state) => findAround(state, ({ type }) => type === nodes.list_item) !== undefined

/** The keys of the page. After Escape, Tab leaves the editor: no keyboard trap (WCAG 2.1.2). */
export function pageKeys(onSave: () => void, askLink: Command): readonly Plugin[] {
  const formats = Object.fromEntries([
    ...MARKS.map(({ key, type }) => [key, toggleMark(type)]),
    ...BLOCKS.flatMap(({ key, run }) => (key === undefined ? [] : [[key, run]])),
  ])
  let hasEscaped = false
  const leaving = new Plugin({
    props: {
      handleKeyDown(_, { key }) {
        if (key === 'Escape') hasEscaped = true
        else if (key !== 'Tab' && key !== 'Shift') hasEscaped = false
        return false
      },
    },
  })
  const unlessEscaped =
    (command: Command): Command =>
    (state, dispatch, view) =>
      !hasEscaped && command(state, dispatch, view)
  const keys = keymap({
    ...formats,
    'Mod-k': askLink,
    'Mod-s': () => {
      onSave()
      return true
    },
    'Mod-z': undo,
    'Mod-y': redo,
    'Mod-Shift-z': redo,
    Enter: chainCommands(enterInTable, beginCode, newlineInCode, splitItem, liftEmptyBlock, splitBlock),
    'Shift-Enter': chainCommands(newlineInCode, breakLine),
    'Mod-Enter': chainCommands(exitCode, tickTask, splitBlock),
    Backspace: chainCommands(undoInputRule, plainBackward),
    Tab: unlessEscaped(chainCommands(tabInTable(1), indent)),
    'Shift-Tab': unlessEscaped(chainCommands(tabInTable(-1), outdent)),
    ArrowDown: leaveCode,
    'Alt-ArrowUp': moveBlock(-1),
    'Alt-ArrowDown': moveBlock(1),
    'Mod-Shift-d': copyBlock,
  })
  return [leaving, keys, keymap(baseKeymap)]
}
