import { type Command, type EditorState, NodeSelection, TextSelection, type Transaction } from 'prosemirror-state'
import { schema } from '../document/schema.ts'
import { findAround } from './formats.ts'

const { nodes } = schema

/** The block that is moved, copied and deleted: the item of a list, or a block of the page. */
function blockAround(state: EditorState) {
  const item = findAround(state, ({ type }) => type === nodes.list_item)
  if (item) return item
  const { $from } = state.selection
  // After the last block, such as a table.
  const isAtEnd = $from.depth === 0 && !$from.nodeAfter
  const pos = isAtEnd ? $from.pos - ($from.nodeBefore?.nodeSize ?? 0) : $from.depth === 0 ? $from.pos : $from.before(1)
  const node = state.doc.nodeAt(pos)
  return node ? { node, pos } : undefined
}

/** Swaps the block with the one before or after it. What has to be first stays first. */
export function moveBlock(by: -1 | 1): Command {
  return (state, dispatch) => {
    const block = blockAround(state)
    if (!block) return false
    const $pos = state.doc.resolve(block.pos)
    const other = $pos.parent.maybeChild($pos.index() + by)
    if (!other || other.type === nodes.front_matter || block.node.type === nodes.front_matter) return true
    const delta = by * other.nodeSize
    const { pos, node } = block
    const tr = state.tr.delete(pos, pos + node.nodeSize).insert(pos + delta, node)
    dispatch?.(selectMoved(state, tr, delta).scrollIntoView())
    return true
  }
}

function selectMoved({ selection }: EditorState, tr: Transaction, delta: number): Transaction {
  const { anchor, head } = selection
  if (selection instanceof NodeSelection) return tr.setSelection(NodeSelection.create(tr.doc, anchor + delta))
  return tr.setSelection(TextSelection.between(tr.doc.resolve(anchor + delta), tr.doc.resolve(head + delta)))
}

/** A copy below the block, with the caret in it. */
export const copyBlock: Command = (state, dispatch) => {
  const block = blockAround(state)
  if (!block || block.node.type === nodes.front_matter) return false
  const size = block.node.nodeSize
  const tr = state.tr.insert(block.pos + size, block.node)
  dispatch?.(selectMoved(state, tr, size).scrollIntoView())
  return true
}

/** Deletes the block; the list with its only item, too. */
export const deleteBlock: Command = (state, dispatch) => {
  const block = blockAround(state)
  if (!block) return false
  const $pos = state.doc.resolve(block.pos)
  const isOnly = block.node.type === nodes.list_item && $pos.parent.childCount === 1
  const from = isOnly ? $pos.before() : block.pos
  const to = isOnly ? $pos.after() : block.pos + block.node.nodeSize
  dispatch?.(state.tr.deleteRange(from, to).scrollIntoView())
  return true
}
